import AppStoreSimulator
import Cryptography
import JSON
import System
import Testing

/// An answer with an offer, and what is wrong with it.
struct SignedOffer: Sendable, CustomTestStringConvertible {
    var form = 2
    var message = Sample.other
    var claims: [(String, JSONNode?)] = []
    var product = "pro_monthly"
    var offer = "save50_3m"
    var signedAt = Team.now
    /// True when a key that is not the team's signs.
    var isForged = false

    var testDescription: String {
        "form \(form) \(message) \(claims.map(\.0)) \(product) \(offer) \(signedAt) \(isForged)"
    }
}

extension Team {
    /// A team whose simulator sells two subscriptions, one of them with an offer.
    static func selling() throws -> Team {
        var sold = [
            SimulatedSubscription(productId: "pro_monthly", price: 9990),
            SimulatedSubscription(productId: "pro_annual", price: 99_990, periodDays: 365),
        ].compactMap { $0 }
        sold[0].offers = [
            SimulatedSubscription.Offer(identifier: "save50_3m", price: 4990, periodCount: 3)
        ].compactMap { $0 }
        return try signing { $0.subscriptions = sold }
    }

    private mutating func post(_ name: String, _ members: String) -> SimulatorAnswer {
        administer("POST", name, .json(#"{"bundleId":"\#(Self.bundleId)",\#(members)}"#), in: .sandbox)
    }

    mutating func buy(subscriber: Int64 = 2_000_000_001, product: String = "pro_monthly", date: Int64? = nil)
        -> SimulatorAnswer
    {
        let time = date.map { #","date":\#($0)"# } ?? ""
        return post("purchase", #""subscriber":\#(subscriber),"productId":"\#(product)"\#(time)"#)
    }

    mutating func renew(subscriber: Int64 = 2_000_000_001, isAhead: Bool = false) -> SimulatorAnswer {
        post("renewal", #""subscriber":\#(subscriber),"isAhead":\#(isAhead)"#)
    }

    mutating func accept(_ answer: String, subscriber: Int64 = 2_000_000_001) -> SimulatorAnswer {
        post("acceptance", #""subscriber":\#(subscriber),"answer":\#(answer)"#)
    }

    /// The status of an answer, and the error that it has.
    func outcome(_ answer: SimulatorAnswer) -> String {
        let word = answer.root?.member("error")?.string
        return [String(answer.status), word].compactMap { $0 }.joined(separator: " ")
    }

    /// Uploads a message without images beside those of ``upload(in:)``, and signs an offer that names it. Each has a nonce
    /// of its own.
    mutating func answer(_ offer: SignedOffer) throws -> String {
        _ = try send("PUT", "/message/\(Sample.other)", .json(Sample.text()))
        let nonce = UUID(high: random.next(), low: random.next()).description
        let signature = offer.form == 1 ? try fields(offer, nonce) : try jws(offer, nonce)
        return #"{"promotionalOffer":{"messageIdentifier":"\#(offer.message)",\#(signature)}}"#
    }

    private func fields(_ offer: SignedOffer, _ nonce: String) throws -> String {
        let time = String(offer.signedAt)
        let words = [Self.bundleId, Self.keyId, offer.product, offer.offer, "", nonce, time]
        let text = Array(words.joined(separator: "\u{2063}").utf8)
        let signer = try signer(offer)
        let der = try signer.signDER(text.span)
        let signed = Base64.encode(der.span)
        let members = JSONNode.object([
            ("encodedSignature", .string(String(decoding: signed, as: UTF8.self))),
            ("productId", .string(offer.product)), ("nonce", .string(nonce)),
            ("timestamp", .integer(offer.signedAt)), ("keyId", .string(Self.keyId)),
            ("offerIdentifier", .string(offer.offer)),
        ])
        return #""promotionalOfferSignatureV1":"# + String(decoding: members.serialized(), as: UTF8.self)
    }

    private func jws(_ offer: SignedOffer, _ nonce: String) throws -> String {
        let claims: [(String, JSONNode?)] = [
            ("exp", nil), ("aud", .string("promotional-offer")), ("nonce", .string(nonce)),
            ("iat", .integer(offer.signedAt / 1000)), ("productId", .string(offer.product)),
            ("offerIdentifier", .string(offer.offer)), ("transactionId", .string("2000000001")),
        ]
        let signer = try signer(offer)
        let text = try token(claims + offer.claims, key: signer)
        return #""promotionalOfferSignatureV2":"\#(text)""#
    }

    private func signer(_ offer: SignedOffer) throws -> SigningKey {
        if offer.isForged { return try SigningKey.generate() }
        return key
    }

    mutating func answer(form: Int) throws -> String { try answer(SignedOffer(form: form)) }
}
