public import DataFiles
public import Decisions
internal import System

/// A decision, and what is served for it.
public struct SignedDecision: Sendable {
    public let decision: Decision
    /// The served outcome; nil when nothing is served.
    public let outcome: SignedOutcome?
    /// Why an earlier outcome for this request could not be signed; nil when no signing failed.
    public let failure: OfferSigningError?
    /// The signatures that the decision took for possible.
    public let signing: SigningCapabilities
    /// How long signing took, in nanoseconds; 0 when nothing had to be signed.
    public var signingNanoseconds: UInt64 = 0
}

/// Decides, and signs what the decision serves. When signing fails, it decides again by the same rules, without the
/// signatures that failed: rules that need them are then passed over with the reason `SIGN_FAILED`.
///
/// - Parameters:
///   - request: the request to decide about. Its `signing` is ignored; the signer's capabilities count.
///   - facts: the facts about the subscriber.
///   - file: the rules.
///   - signer: the signer of the app; nil when the app has no key or no time is left for signing.
///   - passedOver: receives the rules that the decision passed over after their condition; nil when the caller does not
///     want them.
/// - Returns: the decision, and what is served for it.
public func decideAndSign(
    _ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile, signer: OfferSigner?,
    passedOver: PassedOverRules? = nil
) -> SignedDecision {
    var request = request
    guard let signer else {
        request.signing = []
        let decision = decide(request, facts: facts, using: file, passedOver: passedOver)
        let outcome = SignedOutcome(unsigned: decision.outcome, in: file)
        return SignedDecision(decision: decision, outcome: outcome, failure: nil, signing: [])
    }
    request.signing = signer.capabilities
    var failure: OfferSigningError?
    var nanoseconds: UInt64 = 0
    while true {
        let decision = decide(request, facts: facts, using: file, passedOver: passedOver)
        let begun = decision.outcome.neededSigning.isEmpty ? nil : Clock.monotonicNanoseconds()
        do throws(OfferSigningError) {
            let outcome = try signer.sign(decision.outcome, in: file, answering: request)
            return SignedDecision(
                decision: decision, outcome: outcome, failure: failure, signing: request.signing,
                signingNanoseconds: nanoseconds + elapsed(since: begun))
        } catch {
            failure = error
            nanoseconds += elapsed(since: begun)
            // `neededSigning` is not empty here, because an outcome that needs no signature cannot fail. So the loop
            // ends.
            request.signing.subtract(decision.outcome.neededSigning)
        }
    }
}

/// Returns the nanoseconds since a moment; 0 for nil.
private func elapsed(since begun: UInt64?) -> UInt64 {
    begun.map { Clock.monotonicNanoseconds() &- $0 } ?? 0
}
