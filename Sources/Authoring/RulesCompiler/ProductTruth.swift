internal import DataFiles

/// What conditions come to for the subscribers of one product, as far as that alone decides them.
struct ProductTruth {
    private let product: FactValue
    private var segments: [Bool?] = []

    /// Knows the segments of a model, each of which refers to earlier ones only; without them they are taken for open.
    init(_ product: String, _ segments: [RulesModel.Segment] = []) {
        self.product = .string(product)
        for segment in segments { self.segments.append(value(of: segment.condition)) }
    }

    /// True, false, or nil where other facts decide.
    func value(of condition: Condition) -> Bool? {
        switch condition {
        case .all(let children): return combine(children, decidedBy: false)
        case .any(let children): return combine(children, decidedBy: true)
        case .not(let child): return value(of: child).map { !$0 }
        case .segment(let place): return segments.indices.contains(place) ? segments[place] : nil
        case .predicate(let predicate):
            return predicate.fact == .productId ? predicate.isTrue(of: product) : nil
        }
    }

    private func combine(_ children: [Condition], decidedBy decisive: Bool) -> Bool? {
        var result: Bool? = !decisive
        for child in children {
            let value = value(of: child)
            if value == decisive { return decisive }
            if value == nil { result = nil }
        }
        return result
    }
}
