internal import DataFiles

/// The products for which a condition can be other than false.
enum ProductSet: Equatable {
    /// Whatever the product, or more products than are told apart.
    case any
    /// These at most; never more than ``RulesCompilerLimits/toldProductCount``.
    case some(Set<ExactText>)

    /// What a condition leaves; `segments` knows the sets of its model's segments.
    init(_ condition: Condition?, _ segments: SegmentProducts) {
        switch condition {
        case .all(let children): self = Self.all(children, segments)
        case .any(let children): self = Self.any(children, segments)
        case .segment(let place): self = segments[place]
        case .predicate(let predicate) where predicate.fact == .productId:
            switch predicate.operation {
            case .equal, .isIn: self = Self.listed(predicate.operands, segments)
            // What they exclude is left out where they stand beside one that names products.
            case .notEqual, .isNotIn, .prefix, .exists, .greater, .greaterOrEqual, .less, .lessOrEqual,
                .between, .olderThanDays, .youngerThanDays, .all, .any, .not, .segment:
                self = .any
            }
        case .not, .predicate, nil: self = .any
        }
    }

    /// The sets of a model's segments, each of which refers to earlier ones only.
    static func sets(of segments: [RulesModel.Segment]) -> SegmentProducts {
        SegmentProducts(segments)
    }

    private static func listed(_ values: [FactValue], _ segments: SegmentProducts) -> ProductSet {
        guard segments.takeSteps(values.count) else { return .any }
        var products: Set<ExactText> = []
        for case .string(let product) in values {
            products.insert(ExactText(product))
            guard products.count <= RulesCompilerLimits.toldProductCount else { return .any }
        }
        return .some(products)
    }

    /// What all children leave, without what the other parts exclude: `ne`, `notIn`, `prefix`.
    private static func all(_ children: [Condition], _ segments: SegmentProducts) -> ProductSet {
        var found: Set<ExactText>?
        for child in children {
            guard case .some(let products) = ProductSet(child, segments),
                segments.takeSteps(min(products.count, found?.count ?? .max))
            else { continue }
            found = found.map { $0.intersection(products) } ?? products
        }
        guard var products = found else { return .any }
        for child in children where !products.isEmpty {
            switch child {
            case .predicate(let predicate) where predicate.operation == .isNotIn:
                guard predicate.fact == .productId, segments.takeSteps(predicate.operands.count) else {
                    continue
                }
                for case .string(let product) in predicate.operands { products.remove(ExactText(product)) }
            case .segment: continue
            case .predicate(let predicate) where predicate.fact != .productId: continue
            case .not, .any, .all, .predicate:
                guard segments.takeSteps(products.count * child.valueCount) else { continue }
                products = products.filter { ProductTruth($0.text).value(of: child) != false }
            }
        }
        return .some(products)
    }

    /// What any child leaves. A segment that stands twice is looked at once.
    private static func any(_ children: [Condition], _ segments: SegmentProducts) -> ProductSet {
        var found: Set<ExactText> = []
        var seen: Set<Int> = []
        for child in children {
            if case .segment(let place) = child, !seen.insert(place).inserted { continue }
            guard case .some(let products) = ProductSet(child, segments),
                segments.takeSteps(products.count)
            else { return .any }
            found.formUnion(products)
            guard found.count <= RulesCompilerLimits.toldProductCount else { return .any }
        }
        return .some(found)
    }

    /// Whether a product is in it.
    func contains(_ product: String) -> Bool {
        switch self {
        case .any: true
        case .some(let products): products.contains(ExactText(product))
        }
    }

    /// Whether everything in `other` is in it.
    func contains(_ other: ProductSet) -> Bool {
        switch (self, other) {
        case (.any, _): true
        case (.some, .any): false
        case (.some(let left), .some(let right)): left.isSuperset(of: right)
        }
    }
}

extension Condition {
    /// How many values the predicates of a condition compare with.
    var valueCount: Int {
        switch self {
        case .all(let children), .any(let children): children.reduce(1) { $0 + $1.valueCount }
        case .not(let child): child.valueCount
        case .predicate(let predicate): max(1, predicate.operands.count)
        case .segment: 1
        }
    }
}
