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
    /// The shapes of the notifications by their numbers, as far as they were needed.
    private var shapes: [Int: HistoryShape] = [:]

    init(_ traffic: Traffic, _ verifier: SignedPayloadVerifier) throws {
        signer = try SignedRequestBuilder(chain: traffic.knownChain)
        self.verifier = verifier
        kinds = try Self.life.map { type, subtype in
            guard let kind = NotificationKind(type, subtype) else { throw Failure("no \(type)") }
            return kind
        }
    }

    /// Returns notification `number` of the life of each subscriber.
    ///
    /// The last one is verified, and is compared with one that is made member by member.
    func items(_ places: [(number: Int, subscriber: Int)]) throws -> [StoreItem] {
        var items: [StoreItem] = []
        items.reserveCapacity(places.count)
        for place in places {
            let values = values(place.number, of: place.subscriber)
            let shape = try shapes[place.number] ?? makeShape(place.number, values)
            items.append(try shape.item(values, signer))
            if items.count == places.count { try check(items[items.count - 1], number: place.number, values) }
        }
        return items
    }

    private func values(_ number: Int, of subscriber: Int) -> HistoryValues {
        // The lives end at the present, so that every notification was signed in the past.
        let periods = Self.life.prefix(number + 1).count { $0.type != "DID_CHANGE_RENEWAL_STATUS" }
        let day: Int64 = 86_400_000
        uuidCount += 1
        return HistoryValues(
            subscriber: subscriber, period: Int64(periods),
            signedAt: now - (400 - Int64(number) * 30) * day + Int64(subscriber % 86_400) * 1000,
            uuid: UUID(high: 0x4C1E_20A7_93B5_4D66, low: 0x8000_0000_0000_0000 | uuidCount))
    }

    private func makeShape(_ number: Int, _ values: HistoryValues) throws -> HistoryShape {
        let shape = try HistoryShape(verified(signed(number, values)), of: values)
        shapes[number] = shape
        return shape
    }

    /// Returns the JWS of a notification that is made member by member.
    private func signed(_ number: Int, _ values: HistoryValues) throws -> [UInt8] {
        let kind = kinds[number]
        guard let uuid = UUID(values.uuid) else { throw Failure("no UUID") }
        return try signer.compact(
            NotificationPayload(kind, of: values.sample, uuid: uuid, signedDate: values.signedAt)
        )
    }

    private func verified(_ jws: [UInt8]) throws -> VerifiedPayload<SignedNotification> {
        let verified = try verifier.verifyNotification(compact: jws.span, nowMilliseconds: now)
        guard verified.payload.failedParts.isEmpty else { throw Failure("a part was not verified") }
        return verified
    }

    /// Throws when the item is not what the recorder would make of a notification with these values.
    private func check(_ item: StoreItem, number: Int, _ values: HistoryValues) throws {
        let made = try HistoryParts(item)
        for jws in [made.notification.jws, try signed(number, values)] {
            let taken = StoreItem(try verified(jws), source: .history, receivedAt: values.signedAt)
            guard try made.isLike(HistoryParts(taken)) else {
                throw Failure("notification \(number) is not like a verified one")
            }
        }
    }
}
