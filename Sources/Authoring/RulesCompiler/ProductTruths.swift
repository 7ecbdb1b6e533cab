internal import DataFiles

/// What conditions come to for each declared product. Worked out when somebody asks, and for so many steps.
final class ProductTruths {
    private let segments: [RulesModel.Segment]
    /// The values that all segments compare with: what a product costs that nobody has asked for.
    private let segmentValueCount: Int
    private var truths: [ExactText: ProductTruth] = [:]
    private var steps = RulesCompilerLimits.productTruthStepCount

    init(_ segments: [RulesModel.Segment]) {
        self.segments = segments
        segmentValueCount = segments.reduce(1) { $0 + $1.condition.valueCount }
    }

    /// Whether the condition can be other than false for subscribers of a product; nil when no steps are left to see.
    func mayBe(_ product: String, _ condition: Condition, valueCount: Int) -> Bool? {
        let name = ExactText(product)
        let isNew = truths[name] == nil
        let cost = valueCount + (isNew ? segmentValueCount : 0)
        guard cost <= steps else { return nil }
        steps -= cost
        let truth = truths[name] ?? ProductTruth(product, segments)
        truths[name] = truth
        return truth.value(of: condition) != false
    }
}
