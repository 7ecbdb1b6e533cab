public import JSON
internal import Vocabulary

extension PromotionalOfferSignatureV1 {
    /// The JSON object that Apple documents, with UUIDs in lower case. Without a token it has no `appAccountToken`.
    public var object: JSONObjectWriter {
        var object = JSONObjectWriter(reservingByteCount: 512)
        object.add("encodedSignature", encodedSignature)
        object.add("productId", offer.productId)
        object.add("nonce", nonce.description)
        object.add("timestamp", timestamp)
        object.add("keyId", keyId)
        object.add("offerIdentifier", offer.offerIdentifier)
        if let appAccountToken { object.add("appAccountToken", appAccountToken.description) }
        return object
    }
}
