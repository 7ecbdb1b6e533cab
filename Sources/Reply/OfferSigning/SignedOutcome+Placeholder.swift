public import DataFiles
public import Decisions
internal import Vocabulary

extension SignedOutcome {
    /// Makes an outcome with a placeholder text instead of each signature, for answers that are only shown. Nobody can
    /// take these texts for signatures.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the decision.
    ///   - file: the rules that decided.
    ///   - request: the request that was decided.
    ///   - form: the form of the signatures of promotional offers.
    /// - Returns: the outcome to show; nil for `nothing`.
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
