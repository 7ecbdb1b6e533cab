/// The index of rules by product: for each product the rules that name it, and in the first entry the rules that may
/// match for any product. Both the writer and the reader that checks a file derive it from the conditions alone.
///
/// A condition has a set of products: for any product outside the set the condition is false, whatever the other facts
/// are. `eq` and `in` of productId have the products that they name. `all` has the products that all its children with
/// a set have in common. `any` has the products of all its children together, if every child has a set. A segment has
/// those of its condition. Any other condition may be true for any product. So may a condition that names more products
/// than ``DataFileLimits/indexedProductCount``: no set is ever greater, and a node costs no more than that many steps.
package struct ProductIndex {
    /// The roots of a file's conditions.
    package struct Roots {
        package let segments: [EntryReference]
        package let rules: [EntryReference]

        package init(segments: [EntryReference], rules: [EntryReference]) {
            self.segments = segments
            self.rules = rules
        }
    }

    /// A set of products, as the numbers of their strings, ascending; nil for all products.
    private typealias Products = [UInt32]?

    package private(set) var entries: [ProductRulesRecord] = []
    package private(set) var rules: [UInt32] = []

    /// Derives the index from the roots. `node` returns the node with a number, `listed` the number of the string at a
    /// place in `stringLists`.
    package init(_ roots: Roots, node: (Int) -> ConditionRecord?, listed: (Int) -> UInt32?) {
        var segments: [Products] = []
        for root in roots.segments {
            segments.append(Self.products(of: root.index, 0, segments, node, listed))
        }
        var always: [UInt32] = []
        var named: [UInt32: [UInt32]] = [:]
        for (index, root) in roots.rules.enumerated() {
            let rule = UInt32(truncatingIfNeeded: index)
            let products = root.isNone ? nil : Self.products(of: root.index, 0, segments, node, listed)
            if let products {
                for product in products { named[product, default: []].append(rule) }
            } else {
                always.append(rule)
            }
        }
        append(.none, always)
        for (product, list) in named.sorted(by: { $0.key < $1.key }) {
            append(EntryReference(product), list)
        }
    }

    private mutating func append(_ productId: EntryReference, _ list: [UInt32]) {
        entries.append(
            ProductRulesRecord {
                $0.productId = productId
                $0.first = UInt32(truncatingIfNeeded: rules.count)
                $0.count = UInt32(truncatingIfNeeded: list.count)
            }
        )
        rules += list
    }

    private static func products(
        of index: Int, _ depth: Int, _ segments: [Products], _ node: (Int) -> ConditionRecord?,
        _ listed: (Int) -> UInt32?
    ) -> Products {
        guard depth <= DataFileLimits.conditionDepth, let record = node(index) else { return nil }
        let start = record.first.index
        guard let operation = ConditionOperation(rawValue: record.operation) else { return nil }
        let children = start..<start + Int(record.count)
        switch operation.operand {
        case .segment: return segments.indices.contains(start) ? segments[start] : nil
        case .value, .part, .list, .range, .flag, .days:
            guard record.fact == Fact.productId.number, operation.namesValues else { return nil }
            guard operation.operand == .list else { return [record.first.number] }
            guard record.count <= DataFileLimits.indexedProductCount else { return nil }
            // The list is ascending: the writer sorts it, and the checker has refused any other.
            return children.compactMap(listed)
        case .conditions where operation == .all:
            var products: Products = nil
            for child in children {
                guard let other = self.products(of: child, depth + 1, segments, node, listed) else {
                    continue
                }
                products = products.map { merge($0, other, keepsBoth: true) } ?? other
            }
            return products
        case .conditions where operation == .any:
            var products: [UInt32] = []
            for child in children {
                guard let other = self.products(of: child, depth + 1, segments, node, listed) else {
                    return nil
                }
                products = merge(products, other, keepsBoth: false)
                guard products.count <= DataFileLimits.indexedProductCount else { return nil }
            }
            return products
        case .conditions: return nil
        }
    }

    /// Returns the entries that are in both of two ascending lists, or, if `keepsBoth` is false, those that are in
    /// either.
    private static func merge(_ left: [UInt32], _ right: [UInt32], keepsBoth: Bool) -> [UInt32] {
        if left == right { return left }
        var merged: [UInt32] = []
        merged.reserveCapacity(keepsBoth ? min(left.count, right.count) : left.count + right.count)
        var (first, second) = (0, 0)
        while first < left.count, second < right.count {
            if left[first] == right[second] {
                merged.append(left[first])
                (first, second) = (first + 1, second + 1)
            } else if left[first] < right[second] {
                if !keepsBoth { merged.append(left[first]) }
                first += 1
            } else {
                if !keepsBoth { merged.append(right[second]) }
                second += 1
            }
        }
        if !keepsBoth { merged += left[first...] + right[second...] }
        return merged
    }
}
