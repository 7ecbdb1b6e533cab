internal import AppStoreTraffic
internal import Cryptography
internal import NotificationStore
internal import SignedPayloads
internal import System
internal import Vocabulary

/// The signed notifications of many subscribers' lives: the purchase, renewals, a cancellation that is taken back, and an
/// accepted offer.
final class HistoryTraffic {
    /// The kinds of the notifications of one life, in order.
    private static let life: [(type: String, subtype: String?)] = [
        ("SUBSCRIBED", "INITIAL_BUY"), ("DID_RENEW", nil), ("DID_RENEW", nil),
        ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"),
        ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED"), ("DID_RENEW", nil), ("OFFER_REDEEMED", nil),
        ("DID_RENEW", nil), ("DID_RENEW", nil), ("DID_RENEW", nil),
    ]
    /// The number of notifications of a life.
    static var perSubscriber: Int { life.count }

    private let signer: SignedRequestBuilder
    private let verifier: SignedPayloadVerifier
    private let kinds: [NotificationKind]
    private let now = Clock.wallMilliseconds()
    private var uuidCount: UInt64 = 0

    init(_ traffic: Traffic, _ verifier: SignedPayloadVerifier) throws {
        signer = try SignedRequestBuilder(chain: traffic.knownChain)
        self.verifier = verifier
        kinds = try Self.life.map { type, subtype in
            guard let kind = NotificationKind(type, subtype) else { throw Failure("no \(type)") }
            return kind
        }
    }

    /// Returns notification `number` of the life of `subscriber`, verified. A number behind the end of the life is a
    /// further renewal.
    func item(_ number: Int, of subscriber: Int) throws -> StoreItem {
        let kind = number < kinds.count ? kinds[number] : kinds[1]
        // The lives end at the present, so that every notification was signed in the past.
        let periods = Self.life.prefix(number + 1).count { $0.type != "DID_CHANGE_RENEWAL_STATUS" }
        let period = Int64(periods + max(0, number + 1 - kinds.count))
        let day: Int64 = 86_400_000
        let signedAt = now - (400 - Int64(number) * 30) * day + Int64(subscriber % 86_400) * 1000
        var sample = SubscriptionSample(
            appAppleId: Traffic.appAppleId,
            bundleId: Traffic.bundleId,
            environment: .sandbox,
            purchaseDate: signedAt
        )
        sample.originalTransactionId = 2_000_000_100_000_000 + Int64(subscriber) * 100
        sample.period = period
        sample.productId = Traffic.productId
        sample.storefront = ["USA", "DEU", "JPN", "BRA", "FRA"][subscriber % 5]
        uuidCount += 1
        let uuid = UUID(high: 0x4C1E_20A7_93B5_4D66, low: 0x8000_0000_0000_0000 | uuidCount)
        let body = try signer.body(NotificationPayload(kind, of: sample, uuid: uuid, signedDate: signedAt))
        let verified = try verifier.verifyNotification(body: body.span, nowMilliseconds: now)
        guard verified.payload.failedParts.isEmpty else { throw Failure("a part was not verified") }
        return StoreItem(verified, source: .history, receivedAt: signedAt)
    }
}
