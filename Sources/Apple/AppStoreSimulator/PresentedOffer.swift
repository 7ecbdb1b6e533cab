internal import Cryptography
internal import JSON
internal import System

/// A promotional offer whose signature is good.
///
/// This is a reading of its own, and uses nothing with which the service signs, so that it hides no mistake of the service.
/// Source: Apple, Generating a signature for promotional offers; Generating JWS to sign App Store requests.
struct PresentedOffer {
    let nonce: UUID
    let productId: String
    let identifier: String
    let signedAt: Int64
    /// The app that the signature names; nil in the first form, which signs it without a member for it.
    let bundleId: String?
    let transactionId: String?

    init(_ offer: JSONValue, of bundleId: String, keys: TokenKeys) throws(SimulatorAnswer) {
        if let token = offer.member("promotionalOfferSignatureV2")?.string {
            try self.init(token: token, keys)
        } else if let fields = offer.member("promotionalOfferSignatureV1") {
            try self.init(fields: fields, bundleId, keys)
        } else {
            throw .malformedOffer
        }
    }

    private init(token: String, _ keys: TokenKeys) throws(SimulatorAnswer) {
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
        else { throw .malformedOffer }
        self.nonce = nonce
        self.productId = productId
        self.identifier = identifier
        signedAt = seconds * 1000
        self.bundleId = bundleId
        self.transactionId = transactionId
    }

    private init(fields: JSONValue, _ bundleId: String, _ keys: TokenKeys) throws(SimulatorAnswer) {
        guard let text = fields.member("nonce")?.string, let nonce = UUID(text),
            text == nonce.description, let productId = fields.member("productId")?.string,
            let identifier = fields.member("offerIdentifier")?.string,
            let time = fields.member("timestamp")?.int64, let keyId = fields.member("keyId")?.string,
            let encoded = fields.member("encodedSignature")?.string
        else { throw .malformedOffer }
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

    func check(app: String, originalTransactionId: Int64, at now: Int64) throws(SimulatorAnswer) {
        if let bundleId, bundleId != app {
            throw .unsold("other-app", "the offer is signed for another app")
        }
        if let transactionId, transactionId != String(originalTransactionId) {
            throw .unsold("other-transaction", "the offer is signed for another subscriber")
        }
        let greatest = now + TokenKeys.skewSeconds * 1000
        guard (now - Self.lifetimeMilliseconds...greatest).contains(signedAt) else {
            throw .unsold("expired", "the signature is older than 24 hours, or its time lies ahead")
        }
    }

    /// How long a signature is good. Apple says this of the first form, and does not say how long the second one is.
    private static let lifetimeMilliseconds: Int64 = 86_400_000
    private static let seconds: ClosedRange<Int64> = 0...253_402_300_799
}

extension SimulatorAnswer {
    /// The App Store does not sell the offer in an answer to Get Retention Message.
    static func unsold(_ name: String, _ text: String) -> SimulatorAnswer {
        SimulatorAnswer(refused: 403, name, text)
    }

    static let malformedOffer = unsold("malformed-answer", "the answer is not one that Apple documents")
    static let badSignature = unsold("bad-signature", "no key of the team has signed this offer")
}
