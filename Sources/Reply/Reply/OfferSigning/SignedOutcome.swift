public import Rules
public import System

/// What is served to one subscriber, with its strings and its signatures. It is made once for a request; the answer and
/// the decision record are both made from it.
public struct SignedOutcome: Sendable, Hashable {
    public let messageIdentifier: UUID
    public let content: Content

    public enum Content: Sendable, Hashable {
        case message
        case `switch`(productId: String, billingPlanType: BillingPlanType?)
        case offer(PromotionalOffer, PromotionalOfferSignature)
        /// Base64.
        case advancedCommerce(String)
    }

    public enum PromotionalOfferSignature: Sendable, Hashable {
        case v1(PromotionalOfferSignatureV1)
        case v2(String)
    }

    public init(messageIdentifier: UUID, content: Content) {
        self.messageIdentifier = messageIdentifier
        self.content = content
    }

    public init?(unsigned outcome: Decision.Outcome, in file: RulesFile) {
        guard case .serve(let content, let identifier) = outcome else { return nil }
        switch content {
        case .message: self.init(messageIdentifier: identifier, content: .message)
        case .switch(let productId, let plan):
            self.init(
                messageIdentifier: identifier,
                content: .switch(productId: file.text(at: productId), billingPlanType: plan))
        case .offer, .advancedCommerce: return nil
        }
    }

    public var kind: OutcomeKind {
        switch content {
        case .message: .message
        case .switch: .switch
        case .offer: .offer
        case .advancedCommerce: .advancedCommerce
        }
    }
}

extension SignedOutcome {
    /// Makes an outcome with a placeholder text instead of each signature, for answers that are only shown. Nobody can take
    /// these texts for signatures. Returns the outcome to show; nil for `nothing`.
    public static func placeholder(
        for outcome: Decision.Outcome, in file: RulesFile, answering request: DecisionRequest,
        form: OfferSignature
    ) -> SignedOutcome? {
        guard case .serve(let content, let identifier) = outcome else { return nil }
        switch content {
        case .message, .switch: return SignedOutcome(unsigned: outcome, in: file)
        case .offer(let productId, let offerIdentifier):
            let offer = PromotionalOffer(productId, offerIdentifier, in: file)
            let signature = placeholder(for: offer, request, form)
            return SignedOutcome(messageIdentifier: identifier, content: .offer(offer, signature))
        case .advancedCommerce:
            let words = words("advancedCommerceData")
            return SignedOutcome(messageIdentifier: identifier, content: .advancedCommerce(words))
        }
    }

    private static func placeholder(
        for offer: PromotionalOffer, _ request: DecisionRequest, _ form: OfferSignature
    ) -> PromotionalOfferSignature {
        switch form {
        case .v2: .v2(words("promotionalOfferSignatureV2"))
        case .v1:
            .v1(
                PromotionalOfferSignatureV1(
                    encodedSignature: words("encodedSignature"), offer: offer, nonce: UUID(high: 0, low: 0),
                    timestamp: request.nowMilliseconds, keyId: "<keyId of the key that signs>")
            )
        }
    }

    private static func words(_ member: String) -> String { "<\(member) made for each request>" }
}

public struct SignedDecision: Sendable {
    public let decision: Decision
    public let outcome: SignedOutcome?
    public let failure: OfferSigningError?
    public let signing: SigningCapabilities
    /// How long signing took, in nanoseconds; 0 when nothing had to be signed.
    public var signingNanoseconds: UInt64 = 0
}

/// Decides, and signs what the decision serves. When signing fails, it decides again by the same rules, without the
/// signatures that failed: rules that need them are then passed over with the reason `SIGN_FAILED`. The `signing` of
/// the request is ignored. `signer` is nil when the app has no key or no time is left for signing.
public func decideAndSign(
    _ request: DecisionRequest, facts: SubscriberFacts, using file: RulesFile, signer: OfferSigner?
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
    var nanoseconds: UInt64 = 0
    while true {
        let decision = decide(request, facts: facts, using: file)
        let begun = decision.outcome.neededSigning.isEmpty ? nil : Clock.monotonicNanoseconds()
        do throws(OfferSigningError) {
            let outcome = try signer.sign(decision.outcome, in: file, answering: request)
            return SignedDecision(
                decision: decision, outcome: outcome, failure: failure, signing: request.signing,
                signingNanoseconds: nanoseconds + elapsed(since: begun))
        } catch {
            failure = error
            nanoseconds += elapsed(since: begun)
            // `neededSigning` is not empty here, because an outcome that needs no signature cannot fail. So the loop ends.
            request.signing.subtract(decision.outcome.neededSigning)
        }
    }
}

private func elapsed(since begun: UInt64?) -> UInt64 {
    begun.map { Clock.monotonicNanoseconds() &- $0 } ?? 0
}
