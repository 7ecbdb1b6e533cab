internal import DataFiles

extension Explanation {
    /// The steps in the order of evaluation. What is served to one who is held out is looked for after the rules, since
    /// those run in its shadow, but it belongs to the holdout.
    var orderedSteps: [DecisionStep] {
        let count = holdoutStepCount
        guard count > 0,
            let place = steps.firstIndex(where: { if case .holdout = $0 { true } else { false } })
        else { return steps }
        let rest = steps.dropLast(count)
        return Array(rest[...place]) + steps.suffix(count) + rest[(place + 1)...]
    }

    /// How many steps, the last ones, the holdout's own outcome took.
    private var holdoutStepCount: Int {
        guard decision.isHeldOut else { return 0 }
        return file.withBytes { bytes in
            guard let holdout = file.tables.holdout.record(at: 0, in: bytes) else { return 0 }
            var evaluation = Evaluation(request, facts, file, StepRecorder())
            _ = evaluation.prepare(holdout.outcome, bytes)
            return evaluation.tracer.steps.count
        }
    }
}
