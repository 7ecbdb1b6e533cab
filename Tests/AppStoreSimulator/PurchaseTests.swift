import AppStoreSimulator
import Cryptography
import JSON
import Support
import System
import Testing

@Suite("Customers of the simulator")
struct PurchaseTests {
    private static let day: Int64 = 86_400_000
    /// The purchase: six periods end half a day after the present.
    private static let bought = Team.now - 180 * day + day / 2

    /// A team that sells a monthly subscription with an offer, and one subscriber in the sixth month.
    private static func team() throws -> Team {
        var team = try Team.selling()
        team.setNotificationURL()
        #expect(team.buy(date: bought).status == 200)
        #expect(team.renew().status == 200)
        team.deliver()
        return team
    }

    @Test("buy and renew: each notification is signed when its period begins, and has its dates and price")
    func renewals() throws {
        var team = try Team.selling()
        team.setNotificationURL()
        #expect(team.buy(date: Self.bought).status == 200)
        #expect(team.renew().root?.member("notifications")?.count == 5)
        #expect(team.outcome(team.renew()) == "409 nothing-to-renew")
        let received = try team.deliver().map { try Received($0) }
        #expect(
            received.map(\.kind) == ["SUBSCRIBED INITIAL_BUY"] + [String](repeating: "DID_RENEW", count: 5))
        for (number, received) in received.enumerated() {
            let begin = Self.bought + Int64(number) * 30 * Self.day
            #expect(received.signedDate == begin && received.date("purchaseDate") == begin)
            #expect(received.date("originalPurchaseDate") == Self.bought)
            #expect(received.date("expiresDate") == begin + 30 * Self.day)
            #expect(received.transaction?.member("transactionId")?.string == String(2_000_000_001 + number))
            #expect(received.transaction?.member("productId")?.string == "pro_monthly")
            let reason = received.transaction?.member("transactionReason")?.string
            #expect(reason == (number == 0 ? "PURCHASE" : "RENEWAL"))
            #expect(received.prices == "9990 9990" && received.offers == "- -")
        }
    }

    @Test("renew up to a day ahead of the period, when they are asked to")
    func ahead() throws {
        var team = try Self.team()
        #expect(team.outcome(team.renew()) == "409 nothing-to-renew")
        #expect(team.renew(isAhead: true).status == 200)
        let received = try Received(#require(team.deliver().first))
        #expect(received.signedDate == Team.now && received.date("purchaseDate") == Team.now + Self.day / 2)
        #expect(team.outcome(team.renew(isAhead: true)) == "409 nothing-to-renew")
    }

    @Test(
        "accept an offer of either form, which the coming periods have and the later ones have not",
        arguments: [1, 2]
    )
    func offer(form: Int) throws {
        var team = try Self.team()
        try team.upload(in: .sandbox)
        let answer = try team.answer(form: form)
        #expect(team.accept(answer).status == 200)
        var received = try Received(#require(team.deliver().first))
        #expect(received.kind == "OFFER_REDEEMED" && received.signedDate == Team.now)
        #expect(received.prices == "9990 4990" && received.offers == "- save50_3m")
        #expect(received.renewalInfo?.member("offerType")?.int64 == 2)
        // The offer lasts three months, also across a restart of the simulator.
        for shown in [
            ("4990 4990", "save50_3m save50_3m"), ("4990 4990", "save50_3m save50_3m"),
            ("4990 9990", "save50_3m -"), ("9990 9990", "- -"),
        ] {
            let state = try SimulatorState(json: team.simulator.state.json)
            #expect(state == team.simulator.state)
            team.simulator = AppStoreSimulator(configuration: team.simulator.configuration, state: state)
            team.now += 30 * Self.day
            #expect(team.renew().status == 200)
            received = try Received(#require(team.deliver().first))
            #expect(received.kind == "DID_RENEW")
            #expect(received.prices == shown.0 && received.offers == shown.1)
            let isOffer = shown.1.hasPrefix("save50_3m")
            #expect(received.transaction?.member("offerType")?.int64 == (isOffer ? 2 : nil))
            #expect(
                received.transaction?.member("offerDiscountType")?.string == (isOffer ? "PAY_AS_YOU_GO" : nil)
            )
        }
    }

    /// What is wrong with an answer, and why its offer is not sold.
    private static let refusals: [(SignedOffer, String)] = [
        (SignedOffer(message: Sample.message), "message-not-shown"),
        (SignedOffer(message: Sample.identifier(1)), "message-not-shown"),
        (SignedOffer(claims: [("aud", .string("introductory-offer-eligibility"))]), "bad-signature"),
        (SignedOffer(claims: [("iss", .string("another"))]), "bad-signature"),
        (SignedOffer(isForged: true), "bad-signature"),
        (SignedOffer(form: 1, isForged: true), "bad-signature"),
        (SignedOffer(claims: [("bid", .string("com.example.other"))]), "other-app"),
        (SignedOffer(claims: [("transactionId", .string("2000000002"))]), "other-transaction"),
        (SignedOffer(claims: [("transactionId", nil)]), "malformed-answer"),
        (SignedOffer(claims: [("nonce", .string("1"))]), "malformed-answer"),
        (SignedOffer(claims: [("iat", .integer(Int64.max))]), "malformed-answer"),
        (SignedOffer(signedAt: Team.now - day - 1000), "expired"),
        (SignedOffer(signedAt: Team.now + 62_000), "expired"),
        (SignedOffer(form: 1, signedAt: Team.now - day - 1), "expired"),
        (SignedOffer(product: "pro_annual"), "other-product"), (SignedOffer(offer: "free"), "unknown-offer"),
    ]

    @Test("are not sold an offer whose answer, signature or message is not good", arguments: refusals)
    fileprivate func refused(offer: SignedOffer, reason: String) throws {
        var team = try Self.team()
        try team.upload(in: .sandbox)
        let answer = try team.answer(offer)
        #expect(team.outcome(team.accept(answer)) == "403 \(reason)")
        #expect(team.deliver().isEmpty)
    }

    @Test("use up a signature, also when its offer is refused")
    func nonce() throws {
        var team = try Self.team()
        try team.upload(in: .sandbox)
        for (offer, outcome) in [(SignedOffer(), "200"), (SignedOffer(offer: "free"), "403 unknown-offer")] {
            let answer = try team.answer(offer)
            #expect(team.outcome(team.accept(answer)) == outcome)
            #expect(team.outcome(team.accept(answer)) == "403 nonce-used")
        }
        for (answer, reason) in [
            (#"{"message":{"messageIdentifier":"\#(Sample.message)"}}"#, "no-offer"),
            ("{}", "malformed-answer"), ("7", "malformed-answer"),
        ] {
            #expect(team.outcome(team.accept(answer)) == "403 \(reason)")
        }
    }

    @Test("neither renew nor accept once renewal is off, and buy only what is sold")
    func ended() throws {
        var team = try Self.team()
        try team.upload(in: .sandbox)
        #expect(team.outcome(team.buy(date: 0)) == "409 already-subscribed")
        #expect(team.outcome(team.buy(subscriber: 7, product: "none")) == "404 unknown-product")
        #expect(team.outcome(team.buy(subscriber: 7, date: Team.now + 1)) == "400 malformed")
        #expect(team.outcome(team.buy(subscriber: 0)) == "400 malformed")
        #expect(team.outcome(team.renew(subscriber: 7)) == "404 unknown-subscriber")
        team.notify(["DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED"])
        #expect(team.outcome(team.renew(isAhead: true)) == "409 not-renewing")
        let answer = try team.answer(SignedOffer())
        #expect(team.outcome(team.accept(answer)) == "409 not-renewing")
        var silent = try Team.selling()
        #expect(silent.outcome(silent.buy()) == "409 no-notification-url")
        silent = try Team()
        silent.setNotificationURL()
        #expect(silent.outcome(silent.buy()) == "409 no-authority")
    }
}

/// What a notification says.
private struct Received {
    let kind: String
    let signedDate: Int64?
    let transaction: JSONValue?
    let renewalInfo: JSONValue?

    init(_ body: [UInt8]) throws {
        let jws = Self.root(body)?.member("signedPayload")?.string
        let payload = try #require(Self.payload(jws))
        let words = ["notificationType", "subtype"].compactMap { payload.member(named: $0)?.string }
        kind = words.joined(separator: " ")
        signedDate = payload.member("signedDate")?.int64
        transaction = Self.payload(payload.member("data")?.member("signedTransactionInfo")?.string)
        renewalInfo = Self.payload(payload.member("data")?.member("signedRenewalInfo")?.string)
        #expect(transaction?.member("signedDate")?.int64 == signedDate)
    }

    func date(_ name: String) -> Int64? { transaction?.member(named: name)?.int64 }

    /// The prices of the running and of the coming period.
    var prices: String {
        [transaction?.member("price"), renewalInfo?.member("renewalPrice")]
            .map { $0?.int64.map { String($0) } ?? "-" }.joined(separator: " ")
    }

    /// The offers of the running and of the coming period.
    var offers: String {
        [transaction, renewalInfo].map { $0?.member("offerIdentifier")?.string ?? "-" }
            .joined(separator: " ")
    }

    private static func root(_ bytes: [UInt8]) -> JSONValue? {
        try? JSONDocument(parsing: bytes.span, limits: JSONLimits(byteCount: 1 << 20, depth: 8)).root
    }

    private static func payload(_ jws: String?) -> JSONValue? {
        let parts = jws?.split(separator: ".") ?? []
        guard parts.count == 3 else { return nil }
        return Base64URL.decode(Array(parts[1].utf8).span).flatMap(root)
    }
}
