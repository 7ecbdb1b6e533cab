public import DataFiles
public import Decisions
internal import Vocabulary

extension OutcomeSignature {
    /// What stands for a signature where an answer is shown and nothing is signed: its place with words in it that nobody
    /// takes for a signature.
    ///
    /// - Parameters:
    ///   - decision: what was decided.
    ///   - file: the rules that decided.
    ///   - request: what was asked.
    ///   - form: that of the signatures of promotional offers.
    /// - Returns: the placeholder; nil for what needs no signature.
    public static func placeholder(
        for decision: Decision,
        in file: RulesFile,
        answering request: DecisionRequest,
        form: OfferSignature
    ) -> OutcomeSignature? {
        guard case .serve(_, _, let index) = decision.outcome else { return nil }
        switch file.outcome(at: index) {
        case .offer(_, let productId, let offerIdentifier)?:
            guard form == .v1 else { return .promotionalOfferV2(words("promotionalOfferSignatureV2")) }
            return .promotionalOfferV1(
                PromotionalOfferSignatureV1(
                    encodedSignature: words("encodedSignature"),
                    offer: PromotionalOffer(productId: productId, offerIdentifier: offerIdentifier),
                    nonce: UUID(high: 0, low: 0),
                    timestamp: request.nowMilliseconds,
                    keyId: "<keyId of the key that signs>"
                )
            )
        case .advancedCommerce?: return .advancedCommerce(words("advancedCommerceData"))
        default: return nil
        }
    }

    private static func words(_ member: String) -> String { "<\(member) made for each request>" }
}
