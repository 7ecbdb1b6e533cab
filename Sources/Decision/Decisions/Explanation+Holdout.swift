extension Explanation {
    /// The steps in the order of evaluation. What is served to one who is held out is looked for after the rules, since
    /// those run in its shadow, but it belongs to the holdout.
    var orderedSteps: [DecisionStep] {
        guard let mark = steps.firstIndex(of: .holdoutOutcome),
            let place = steps.firstIndex(where: { if case .holdout = $0 { true } else { false } })
        else { return steps }
        return Array(steps[...place]) + steps[(mark + 1)...] + steps[(place + 1)..<mark]
    }
}
