internal import DataFiles

/// The products that each segment of a model leaves, and the steps that may still be taken to find such sets. Without
/// steps every further set is that of any product: what is said of the rules is less exact then, never wrong.
final class SegmentProducts {
    private var sets: [ProductSet] = []
    private var steps: Int

    init(_ segments: [RulesModel.Segment], steps: Int = RulesCompilerLimits.productStepCount) {
        self.steps = steps
        for segment in segments { sets.append(ProductSet(segment.condition, self)) }
    }

    /// The products of a segment; any while it is not known.
    subscript(place: Int) -> ProductSet { sets.indices.contains(place) ? sets[place] : .any }

    /// Takes steps, one for each product that is looked at; false when fewer are left.
    func takeSteps(_ count: Int) -> Bool {
        guard count <= steps else { return false }
        steps -= count
        return true
    }
}
