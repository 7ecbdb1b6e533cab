package import DataFiles

/// Evaluates conditions for the subscribers of one product, as far as the product alone decides them.
package struct ProductEvaluation {
    private let product: FactValue
    private var segments: [Bool?] = []

    /// Evaluates the model's segments for a product. Each segment refers only to earlier ones. The value of a segment
    /// that is not in `segments` is unknown.
    package init(_ product: String, _ segments: [RulesModel.Segment] = []) {
        self.product = .string(product)
        for segment in segments { self.segments.append(value(of: segment.condition)) }
    }

    /// Returns true or false when the product alone decides the condition, and nil when other facts matter.
    package func value(of condition: Condition) -> Bool? {
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
