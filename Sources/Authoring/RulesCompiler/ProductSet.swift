internal import DataFiles

/// The products for which a condition can be other than false.
enum ProductSet: Equatable {
    /// Whatever the product.
    case any
    /// These at most.
    case some(Set<ExactText>)

    /// What a condition leaves; `segments` are the sets of its model's segments.
    init(_ condition: Condition?, _ segments: [ProductSet]) {
        switch condition {
        case .equal(.productId, .string(let product)): self = .some([ExactText(product)])
        case .isIn(.productId, let values):
            self = .some(
                Set(
                    values.compactMap { value in
                        if case .string(let product) = value { ExactText(product) } else { nil }
                    }
                )
            )
        case .all(let children):
            self = children.reduce(.any) { $0.intersection(ProductSet($1, segments)) }
            // What the other parts exclude: `ne`, `notIn`, `prefix`.
            if case .some(let products) = self {
                self = .some(products.filter { ProductTruth($0.text).value(of: .all(children)) != false })
            }
        case .any(let children):
            self = children.reduce(.some([])) { $0.union(ProductSet($1, segments)) }
        case .segment(let place) where segments.indices.contains(place): self = segments[place]
        default: self = .any
        }
    }

    /// The sets of a model's segments, each of which refers to earlier ones only.
    static func sets(of segments: [RulesModel.Segment]) -> [ProductSet] {
        var sets: [ProductSet] = []
        for segment in segments { sets.append(ProductSet(segment.condition, sets)) }
        return sets
    }

    private func intersection(_ other: ProductSet) -> ProductSet {
        switch (self, other) {
        case (.any, let rest), (let rest, .any): rest
        case (.some(let left), .some(let right)): .some(left.intersection(right))
        }
    }

    private func union(_ other: ProductSet) -> ProductSet {
        switch (self, other) {
        case (.any, _), (_, .any): .any
        case (.some(let left), .some(let right)): .some(left.union(right))
        }
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
