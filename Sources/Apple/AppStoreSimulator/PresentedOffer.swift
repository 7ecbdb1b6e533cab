internal import Cryptography
internal import JSON
internal import System

/// A promotional offer whose signature is good.
///
/// This is a reading of its own, and uses nothing with which the service signs, so that it hides no mistake of the service.
///
/// Source: Apple, Generating a signature for promotional offers; Generating JWS to sign App Store requests.
struct PresentedOffer {
    /// The nonce, which makes the signature good for one purchase.
    let nonce: UUID
    let productId: String
    let identifier: String
    /// The time of signing, milliseconds since 1970.
    let signedAt: Int64
    /// The app that the signature names; nil in the first form, which signs it without a member for it.
    let bundleId: String?
    /// The subscriber that the signature names; nil in the first form.
    let transactionId: String?

    init(_ offer: JSONValue, of bundleId: String, keys: TokenKeys) throws(OfferRefusal) {
        if let token = offer.member("promotionalOfferSignatureV2")?.string {
            try self.init(token: token, keys)
        } else if let fields = offer.member("promotionalOfferSignatureV1") {
            try self.init(fields: fields, bundleId, keys)
        } else {
            throw .malformedAnswer
        }
    }

    private init(token: String, _ keys: TokenKeys) throws(OfferRefusal) {
        guard let claims = keys.claims(of: token), claims.member("aud")?.string == "promotional-offer",
            claims.member("iss")?.string == keys.issuerId
        else { throw .badSignature }
        guard let nonce = claims.member("nonce")?.string.flatMap({ UUID($0) }),
            let productId = claims.member("productId")?.string,
            let identifier = claims.member("offerIdentifier")?.string,
            let seconds = claims.member("iat")?.int64, Self.seconds.contains(seconds),
            let bundleId = claims.member("bid")?.string,
            // Retention Messaging requires it.
            let transactionId = claims.member("transactionId")?.string
        else { throw .malformedAnswer }
        self.nonce = nonce
        self.productId = productId
        self.identifier = identifier
        signedAt = seconds * 1000
        self.bundleId = bundleId
        self.transactionId = transactionId
    }

    private init(fields: JSONValue, _ bundleId: String, _ keys: TokenKeys) throws(OfferRefusal) {
        guard let text = fields.member("nonce")?.string, let nonce = UUID(text),
            text == nonce.description, let productId = fields.member("productId")?.string,
            let identifier = fields.member("offerIdentifier")?.string,
            let time = fields.member("timestamp")?.int64, let keyId = fields.member("keyId")?.string,
            let encoded = fields.member("encodedSignature")?.string
        else { throw .malformedAnswer }
        let account = fields.member("appAccountToken")?.string ?? ""
        let words = [bundleId, keyId, productId, identifier, account, text, String(time)]
        let signed = Array(words.joined(separator: "\u{2063}").utf8)
        guard let verifier = keys.verifier(keyId), let signature = Base64.decode(Array(encoded.utf8).span),
            verifier.isValid(derSignature: signature, for: signed.span)
        else { throw .badSignature }
        self.nonce = nonce
        self.productId = productId
        self.identifier = identifier
        signedAt = time
        self.bundleId = nil
        transactionId = nil
    }

    /// Checks that the signature is for this app and this subscriber, and not too old.
    func check(app: String, originalTransactionId: Int64, at now: Int64) throws(OfferRefusal) {
        if let bundleId, bundleId != app { throw .otherApp }
        if let transactionId, transactionId != String(originalTransactionId) { throw .otherTransaction }
        let greatest = now + TokenKeys.skewSeconds * 1000
        guard (now - Self.lifetimeMilliseconds...greatest).contains(signedAt) else { throw .expired }
    }

    /// How long a signature is good. Apple says this of the first form, and does not say how long the second one is.
    private static let lifetimeMilliseconds: Int64 = 86_400_000
    /// The times that fit into milliseconds.
    private static let seconds: ClosedRange<Int64> = 0...253_402_300_799
}

/// Why the App Store does not sell the offer in an answer to Get Retention Message.
package enum OfferRefusal: String, Error, Sendable, Hashable, CaseIterable {
    case malformedAnswer = "malformed-answer"
    case noOffer = "no-offer"
    case messageNotShown = "message-not-shown"
    case badSignature = "bad-signature"
    case otherApp = "other-app"
    case otherTransaction = "other-transaction"
    case expired
    case nonceUsed = "nonce-used"
    case otherProduct = "other-product"
    case unknownOffer = "unknown-offer"

    var text: String {
        switch self {
        case .malformedAnswer: "the answer is not one that Apple documents"
        case .noOffer: "the answer has no promotional offer"
        case .messageNotShown:
            "Apple does not show the message: it is not known, not approved, or has an image or bullet points"
        case .badSignature: "no key of the team has signed this offer"
        case .otherApp: "the offer is signed for another app"
        case .otherTransaction: "the offer is signed for another subscriber"
        case .expired: "the signature is older than 24 hours, or its time lies ahead"
        case .nonceUsed: "the signature was used before"
        case .otherProduct: "the offer is for a product that this subscriber does not have"
        case .unknownOffer: "the product has no such offer; --offer of `serve` names it"
        }
    }
}
