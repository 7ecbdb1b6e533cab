package import DataFiles

/// The products of each segment of a model, and the budget of steps for finding such sets. When the budget is used up,
/// every further set is `any`; the findings that use it are then less exact, but never wrong.
package final class SegmentProducts {
    private var sets: [ProductSet] = []
    private var steps: Int

    package init(_ segments: [RulesModel.Segment], steps: Int = RulesSourceLimits.productStepCount) {
        self.steps = steps
        for segment in segments { sets.append(ProductSet(segment.condition, self)) }
    }

    /// The products of a segment; `any` while they are not known.
    package subscript(place: Int) -> ProductSet { sets.indices.contains(place) ? sets[place] : .any }

    /// Takes steps from the budget, one for each product that is compared. Returns false, and takes nothing, when too
    /// few are left.
    package func takeSteps(_ count: Int) -> Bool {
        guard count <= steps else { return false }
        steps -= count
        return true
    }
}
