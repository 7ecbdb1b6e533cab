package import DataFiles

/// Evaluates conditions for the declared products. A product is evaluated when it is first asked for, and all
/// evaluations together have a budget of steps.
package final class ProductEvaluations {
    private let segments: [RulesModel.Segment]
    /// The number of values in all segments: the cost of the first question about a product.
    private let segmentValueCount: Int
    private var truths: [ByteComparedString: ProductEvaluation] = [:]
    private var steps = RulesSourceLimits.productTruthStepCount

    package init(_ segments: [RulesModel.Segment]) {
        self.segments = segments
        segmentValueCount = segments.reduce(1) { $0 + $1.condition.valueCount }
    }

    /// Returns false when the condition is false for all subscribers of a product, else true. Returns nil when too few
    /// steps are left.
    package func mayBe(_ product: String, _ condition: Condition, valueCount: Int) -> Bool? {
        let name = ByteComparedString(product)
        let isNew = truths[name] == nil
        let cost = valueCount + (isNew ? segmentValueCount : 0)
        guard cost <= steps else { return nil }
        steps -= cost
        let truth = truths[name] ?? ProductEvaluation(product, segments)
        truths[name] = truth
        return truth.value(of: condition) != false
    }
}
