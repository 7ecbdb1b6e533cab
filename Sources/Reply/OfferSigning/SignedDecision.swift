public import DataFiles
public import Decisions

/// A decision with what is served for it.
public struct SignedDecision: Sendable {
    /// What was decided.
    public let decision: Decision
    /// What is served; nil for nothing.
    public let outcome: SignedOutcome?
    /// Why an outcome before this one could not be signed; nil when nothing failed.
    public let failure: OfferSigningError?
    /// What was taken for possible to sign when it was decided.
    public let signing: SigningCapabilities
}

/// Decides, and signs what is decided. Where signing fails the decision goes on without what cannot be signed, by the
/// same rules: those that need it are passed over with the reason `SIGN_FAILED`.
///
/// - Parameters:
///   - request: what is asked; what can be signed is the signer's to say.
///   - facts: what is known of the subscriber.
///   - file: the rules.
///   - signer: signs for the app; nil when it has no key or no time is left.
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
            // Never empty: with nothing to sign there is nothing to fail, so this comes to an end.
            request.signing.subtract(decision.outcome.neededSigning)
        }
    }
}
