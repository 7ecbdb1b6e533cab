public import JSON
internal import Rules
public import System

/// The first form of Apple's promotional-offer signatures: promotionalOfferSignatureV1 of RealtimeResponseBody.
///
/// A signature is valid for one purchase within 24 hours of its timestamp ("Generating a signature for promotional offers").
public struct PromotionalOfferSignatureV1: Sendable, Hashable {
    public let encodedSignature: String
    public let offer: PromotionalOffer
    public let nonce: UUID
    public let timestamp: Int64
    public let keyId: String
    /// The token that the app gave with the purchase; nil when there was none.
    public let appAccountToken: UUID?

    public init(
        encodedSignature: String, offer: PromotionalOffer, nonce: UUID, timestamp: Int64, keyId: String,
        appAccountToken: UUID? = nil
    ) {
        self.encodedSignature = encodedSignature
        self.offer = offer
        self.nonce = nonce
        self.timestamp = timestamp
        self.keyId = keyId
        self.appAccountToken = appAccountToken
    }

    /// Returns the UTF-8 text that is signed: seven fields with U+2063 INVISIBLE SEPARATOR between them, UUIDs in lower
    /// case. The field of an absent token is empty. Throws `offer-signing.bad-identifier` when a field contains the
    /// separator or a control character, so that it could be taken for two fields.
    public static func signedText(
        bundleId: String, keyId: String, offer: PromotionalOffer, appAccountToken: UUID?, nonce: UUID,
        timestamp: Int64
    ) throws(OfferSigningError) -> [UInt8] {
        let fields = [
            bundleId, keyId, offer.productId, offer.offerIdentifier, appAccountToken?.description ?? "",
            nonce.description, String(timestamp),
        ]
        guard fields.allSatisfy(StoreIdentifier.isPossible) else { throw .badIdentifier }
        return Array(fields.joined(separator: "\u{2063}").utf8)
    }

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

public struct PromotionalOffer: Sendable, Hashable {
    public let productId: String
    public let offerIdentifier: String

    public init(productId: String, offerIdentifier: String) {
        self.productId = productId
        self.offerIdentifier = offerIdentifier
    }

    init(_ productId: FileString, _ offerIdentifier: FileString, in file: RulesFile) {
        self.init(productId: file.text(at: productId), offerIdentifier: file.text(at: offerIdentifier))
    }
}
