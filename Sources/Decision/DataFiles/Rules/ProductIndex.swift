/// Which rules may match for which product: for each product those that name it, and those that may match whatever
/// the product is. Derived from the conditions alone, by the writer and once more by whoever checks a file.
///
/// A rule may match for the products for which its condition is not false however the other facts turn out:
/// `eq` and `in` of productId name products, `all` has those that each of its children has, `any` those of all its
/// children together when each of them has some set, a segment those of its condition; anything else may match
/// for any product. So may what names more products than ``DataFileLimits/indexedProductCount``: no set is ever greater,
/// and a node costs no more than that many steps.
package struct ProductIndex {
    /// Where conditions begin.
    package struct Roots {
        package let segments: [EntryReference]
        package let rules: [EntryReference]

        package init(segments: [EntryReference], rules: [EntryReference]) {
            self.segments = segments
            self.rules = rules
        }
    }

    /// A set of products by the numbers of their strings, ascending; nil for all there are.
    private typealias Products = [UInt32]?

    package private(set) var entries: [ProductRulesRecord] = []
    package private(set) var rules: [UInt32] = []
    /// For each rule whether it stands only in the entries of its own products.
    package private(set) var isNamed: [Bool] = []

    /// Derives the index from the roots, by the node with a number and the string at a place in the lists.
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
            isNamed.append(products != nil)
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
        of index: Int,
        _ depth: Int,
        _ segments: [Products],
        _ node: (Int) -> ConditionRecord?,
        _ listed: (Int) -> UInt32?
    ) -> Products {
        guard depth <= DataFileLimits.conditionDepth, let record = node(index) else { return nil }
        let start = record.first.index
        switch ConditionOperation(rawValue: record.operation) {
        case .equal where record.fact == Fact.productId.number: return [record.first.number]
        case .isIn where record.fact == Fact.productId.number:
            guard record.count <= DataFileLimits.indexedProductCount else { return nil }
            // Lists ascend: the writer sorts them, and the checker has refused others.
            return (start..<start + Int(record.count)).compactMap(listed)
        case .segment: return segments.indices.contains(start) ? segments[start] : nil
        case .all:
            var products: Products = nil
            for child in start..<start + Int(record.count) {
                guard let other = self.products(of: child, depth + 1, segments, node, listed) else {
                    continue
                }
                products = products.map { merge($0, other, keepsBoth: true) } ?? other
            }
            return products
        case .any:
            var products: [UInt32] = []
            for child in start..<start + Int(record.count) {
                guard let other = self.products(of: child, depth + 1, segments, node, listed) else {
                    return nil
                }
                products = merge(products, other, keepsBoth: false)
                guard products.count <= DataFileLimits.indexedProductCount else { return nil }
            }
            return products
        case .not, .equal, .isIn, .notEqual, .isNotIn, .greater, .greaterOrEqual, .less, .lessOrEqual,
            .between, .exists, .prefix, .olderThanDays, .youngerThanDays, nil:
            return nil
        }
    }

    /// What stands in both of two ascending lists, or in either of them.
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
