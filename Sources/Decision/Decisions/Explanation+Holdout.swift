extension Explanation {
    /// The steps in the order in which they are shown. The evaluation looks for the outcome of a held-out subscriber
    /// after the rules, because the rules run for the shadow. Here its steps follow directly after the draw of the
    /// holdout, where they belong.
    var orderedSteps: [DecisionStep] {
        guard let mark = steps.firstIndex(of: .holdoutOutcome),
            let place = steps.firstIndex(where: { if case .holdout = $0 { true } else { false } })
        else { return steps }
        return Array(steps[...place]) + steps[(mark + 1)...] + steps[(place + 1)..<mark]
    }
}
