public import JSON
internal import Vocabulary

extension PromotionalOfferSignatureV1 {
    /// The object that Apple documents, UUIDs in lower case; no member for a token that is absent.
    public var json: JSONNode {
        let token = appAccountToken.map { [("appAccountToken", JSONNode.string($0.description))] }
        return .object(
            [
                ("encodedSignature", .string(encodedSignature)), ("productId", .string(offer.productId)),
                ("nonce", .string(nonce.description)), ("timestamp", .integer(timestamp)),
                ("keyId", .string(keyId)), ("offerIdentifier", .string(offer.offerIdentifier)),
            ] + (token ?? [])
        )
    }
}
