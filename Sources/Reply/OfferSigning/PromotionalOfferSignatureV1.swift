public import Vocabulary

/// Apple's first form of a promotional-offer signature: promotionalOfferSignatureV1 of RealtimeResponseBody.
///
/// Good for one purchase within 24 hours of its timestamp ("Generating a signature for promotional offers").
public struct PromotionalOfferSignatureV1: Sendable, Hashable {
    /// The signature, DER, in base64 with padding (RFC 4648 section 4).
    public let encodedSignature: String
    /// The offer that was signed.
    public let offer: PromotionalOffer
    /// Makes the signature good for one time.
    public let nonce: UUID
    /// When it was signed, milliseconds since 1970.
    public let timestamp: Int64
    /// The key that signed.
    public let keyId: String
    /// The token that the app gave with the purchase; nil where there was none.
    public let appAccountToken: UUID?

    /// Puts the members together; nothing is checked.
    public init(
        encodedSignature: String,
        offer: PromotionalOffer,
        nonce: UUID,
        timestamp: Int64,
        keyId: String,
        appAccountToken: UUID? = nil
    ) {
        self.encodedSignature = encodedSignature
        self.offer = offer
        self.nonce = nonce
        self.timestamp = timestamp
        self.keyId = keyId
        self.appAccountToken = appAccountToken
    }

    /// What is signed, in UTF-8: seven fields with U+2063 INVISIBLE SEPARATOR between, the UUIDs in lower case. An absent
    /// token leaves its field empty.
    ///
    /// - Throws: `offer-signing.bad-identifier` when a field could be taken for two.
    public static func signedText(
        bundleId: String,
        keyId: String,
        offer: PromotionalOffer,
        appAccountToken: UUID?,
        nonce: UUID,
        timestamp: Int64
    ) throws(OfferSigningError) -> [UInt8] {
        let fields = [
            bundleId, keyId, offer.productId, offer.offerIdentifier, appAccountToken?.description ?? "",
            nonce.description, String(timestamp),
        ]
        guard fields.allSatisfy(StoreIdentifier.isPossible) else { throw .badIdentifier }
        return Array(fields.joined(separator: "\u{2063}").utf8)
    }
}
