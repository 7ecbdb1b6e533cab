package import DataFiles

/// The set of products for which a condition may be true or unknown, that is, not false.
package enum ProductSet: Equatable {
    /// Any product. Also stands for a set of more products than are told apart.
    case any
    /// At most these products; never more than ``RulesSourceLimits/productSetLimit``.
    case some(Set<ByteComparedString>)

    /// Finds the products of a condition. `segments` holds the sets of the model's segments.
    package init(_ condition: Condition?, _ segments: SegmentProducts) {
        switch condition {
        case .all(let children): self = Self.all(children, segments)
        case .any(let children): self = Self.any(children, segments)
        case .segment(let place): self = segments[place]
        // Other predicates name no products. ``all(_:_:)`` subtracts those that they exclude.
        case .predicate(let predicate)
        where predicate.fact == .productId && predicate.operation.namesValues:
            self = Self.listed(predicate, segments)
        case .not, .predicate, nil: self = .any
        }
    }

    /// Returns the sets of a model's segments. Each segment refers only to earlier ones.
    package static func sets(of segments: [RulesModel.Segment]) -> SegmentProducts {
        SegmentProducts(segments)
    }

    private static func listed(_ predicate: Predicate, _ segments: SegmentProducts) -> ProductSet {
        guard segments.takeSteps(listLength(predicate)) else { return .any }
        var products: Set<ByteComparedString> = []
        for case .string(let product) in predicate.operands {
            products.insert(ByteComparedString(product))
            guard products.count <= RulesSourceLimits.productSetLimit else { return .any }
        }
        return .some(products)
    }

    /// Returns the steps that the list of a predicate costs; a single value costs none.
    private static func listLength(_ predicate: Predicate) -> Int {
        predicate.operation.operand == .list ? predicate.operands.count : 0
    }

    /// Returns the products that all children have in common, without those that other children exclude by `ne`,
    /// `notIn` or `prefix`.
    private static func all(_ children: [Condition], _ segments: SegmentProducts) -> ProductSet {
        var found: Set<ByteComparedString>?
        for child in children {
            guard case .some(let products) = ProductSet(child, segments),
                segments.takeSteps(min(products.count, found?.count ?? .max))
            else { continue }
            found = found.map { $0.intersection(products) } ?? products
        }
        guard var products = found else { return .any }
        for child in children where !products.isEmpty {
            switch child {
            case .segment: continue
            case .predicate(let predicate) where predicate.fact != .productId: continue
            case .predicate(let predicate):
                // Its products are among those found above.
                if predicate.operation.namesValues { continue }
                guard predicate.operation.excludesValues else {
                    products = Self.filtered(products, by: child, segments)
                    continue
                }
                guard segments.takeSteps(Self.listLength(predicate)) else { continue }
                for case .string(let product) in predicate.operands {
                    products.remove(ByteComparedString(product))
                }
            case .not, .any, .all: products = Self.filtered(products, by: child, segments)
            }
        }
        return .some(products)
    }

    /// Returns the products for which a condition is not false, or all of them once the steps are used up.
    private static func filtered(
        _ products: Set<ByteComparedString>, by condition: Condition, _ segments: SegmentProducts
    ) -> Set<ByteComparedString> {
        guard segments.takeSteps(products.count * condition.valueCount) else { return products }
        return products.filter { ProductEvaluation($0.text).value(of: condition) != false }
    }

    /// Returns the products of all children together. A segment that occurs twice is read once.
    private static func any(_ children: [Condition], _ segments: SegmentProducts) -> ProductSet {
        var found: Set<ByteComparedString> = []
        var seen: Set<Int> = []
        for child in children {
            if case .segment(let place) = child, !seen.insert(place).inserted { continue }
            guard case .some(let products) = ProductSet(child, segments),
                segments.takeSteps(products.count)
            else { return .any }
            found.formUnion(products)
            guard found.count <= RulesSourceLimits.productSetLimit else { return .any }
        }
        return .some(found)
    }

    package func contains(_ product: String) -> Bool {
        switch self {
        case .any: true
        case .some(let products): products.contains(ByteComparedString(product))
        }
    }

    /// Returns true when the set contains every product of `other`.
    package func contains(_ other: ProductSet) -> Bool {
        switch (self, other) {
        case (.any, _): true
        case (.some, .any): false
        case (.some(let left), .some(let right)): left.isSuperset(of: right)
        }
    }
}

extension Condition {
    /// The number of values with which the predicates of a condition compare.
    package var valueCount: Int {
        switch self {
        case .all(let children), .any(let children): children.reduce(1) { $0 + $1.valueCount }
        case .not(let child): child.valueCount
        case .predicate(let predicate): max(1, predicate.operands.count)
        case .segment: 1
        }
    }
}
