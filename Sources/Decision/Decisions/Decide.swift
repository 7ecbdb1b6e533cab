public import DataFiles

/// Decides about a request by the rules of a file.
///
/// Pure: the same request and the same file give the same decision. Allocates nothing and never traps, whatever the
/// file holds. Costs a look at each rule up to the one that matches.
public func decide(_ request: DecisionRequest, using file: RulesFile) -> Decision {
    file.withBytes { bytes in
        var evaluation = Evaluation(request, file.tables, NoTracer())
        return evaluation.decide(header: file.header, bytes)
    }
}

/// Decides as ``decide(_:using:)`` does, by the same steps, and keeps them.
public func explain(_ request: DecisionRequest, using file: RulesFile) -> Explanation {
    file.withBytes { bytes in
        var evaluation = Evaluation(request, file.tables, StepRecorder())
        let decision = evaluation.decide(header: file.header, bytes)
        return Explanation(request: request, decision: decision, steps: evaluation.tracer.steps, file: file)
    }
}
