public import DataFiles

/// Decides what a request gets, by the rules of a file and the facts about the subscriber.
///
/// The function is pure: the same request, facts and file give the same decision. It allocates nothing and never traps,
/// whatever the files hold. It checks each rule that may match for the product, up to the first that matches.
///
/// - Parameters:
///   - request: the request to decide about.
///   - facts: the facts about the subscriber; declared facts have the numbers of this rules file.
///   - file: the rules.
///   - passedOver: receives the rules that failed after their condition; nil when the caller does not want them.
/// - Returns: what is served, and why.
public func decide(
    _ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile,
    passedOver: PassedOverRules? = nil
) -> Decision {
    file.withBytes { bytes in
        passedOver?.begin()
        var evaluation = Evaluation(request, facts, file, NoTracer())
        evaluation.passedOver = passedOver
        return evaluation.decide(header: file.header, bytes)
    }
}

/// Decides like ``decide(_:facts:using:)``, but as if Apple had approved every message.
func decideAsApproved(_ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile) -> Decision {
    file.withBytes { bytes in
        var evaluation = Evaluation(request, facts, file, NoTracer())
        evaluation.treatsAllAsApproved = true
        return evaluation.decide(header: file.header, bytes)
    }
}

/// Decides like ``decide(_:facts:using:)`` and records the steps. It also records the steps of rules that cannot match
/// for the product, which the server passes over.
public func explain(_ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile) -> Explanation
{
    file.withBytes { bytes in
        var evaluation = Evaluation(request, facts, file, StepRecorder())
        let decision = evaluation.decide(header: file.header, bytes)
        return Explanation(
            request: request, facts: facts, decision: decision, steps: evaluation.tracer.steps, file: file)
    }
}
