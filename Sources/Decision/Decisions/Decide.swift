public import DataFiles

/// Decides about a request by the rules of a file and what is known of the subscriber.
///
/// Pure: the same request, facts and file give the same decision. Allocates nothing and never traps, whatever the
/// files hold. Costs a look at each rule that may match for the product, up to the one that does.
///
/// - Parameters:
///   - request: what is asked.
///   - facts: what is known of the subscriber; declared facts by the numbers of this file.
///   - file: the rules.
/// - Returns: what is served, and why.
public func decide(
    _ request: DecisionRequest,
    facts: SubscriberFacts,
    using file: RulesFile
) -> Decision {
    file.withBytes { bytes in
        var evaluation = Evaluation(request, facts, file, NoTracer())
        return evaluation.decide(header: file.header, bytes)
    }
}

/// Decides as if Apple had approved every message.
func decideAsApproved(_ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile) -> Decision {
    file.withBytes { bytes in
        var evaluation = Evaluation(request, facts, file, NoTracer())
        evaluation.takesAllForApproved = true
        return evaluation.decide(header: file.header, bytes)
    }
}

/// Decides as ``decide(_:facts:using:)`` does, by the same steps, and keeps them. Takes the steps of rules
/// that cannot match for the product as well.
public func explain(_ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile) -> Explanation
{
    file.withBytes { bytes in
        var evaluation = Evaluation(request, facts, file, StepRecorder())
        let decision = evaluation.decide(header: file.header, bytes)
        return Explanation(
            request: request,
            facts: facts,
            decision: decision,
            steps: evaluation.tracer.steps,
            file: file
        )
    }
}
