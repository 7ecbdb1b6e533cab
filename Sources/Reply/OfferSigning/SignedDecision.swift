public import DataFiles
public import Decisions

/// A decision, and what is served for it.
public struct SignedDecision: Sendable {
    /// The decision that was made.
    public let decision: Decision
    /// The served outcome; nil when nothing is served.
    public let outcome: SignedOutcome?
    /// Why an earlier outcome for this request could not be signed; nil when no signing failed.
    public let failure: OfferSigningError?
    /// The signatures that the decision took for possible.
    public let signing: SigningCapabilities
}

/// Decides, and signs what the decision serves. When signing fails, it decides again by the same rules, without the
/// signatures that failed: rules that need them are then passed over with the reason `SIGN_FAILED`.
///
/// - Parameters:
///   - request: the request to decide about. Its `signing` is ignored; the signer's capabilities count.
///   - facts: the facts about the subscriber.
///   - file: the rules.
///   - signer: the signer of the app; nil when the app has no key or no time is left for signing.
/// - Returns: the decision, and what is served for it.
public func decideAndSign(
    _ request: DecisionRequest,
    facts: SubscriberFacts,
    using file: RulesFile,
    signer: OfferSigner?
) -> SignedDecision {
    var request = request
    guard let signer else {
        request.signing = []
        let decision = decide(request, facts: facts, using: file)
        let outcome = SignedOutcome(unsigned: decision.outcome, in: file)
        return SignedDecision(decision: decision, outcome: outcome, failure: nil, signing: [])
    }
    request.signing = signer.capabilities
    var failure: OfferSigningError?
    while true {
        let decision = decide(request, facts: facts, using: file)
        do throws(OfferSigningError) {
            let outcome = try signer.sign(decision.outcome, in: file, answering: request)
            return SignedDecision(
                decision: decision,
                outcome: outcome,
                failure: failure,
                signing: request.signing
            )
        } catch {
            failure = error
            // `neededSigning` is not empty here, because an outcome that needs no signature cannot fail. So the loop
            // ends.
            request.signing.subtract(decision.outcome.neededSigning)
        }
    }
}
