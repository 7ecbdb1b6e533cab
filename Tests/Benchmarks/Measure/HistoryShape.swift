internal import AppStoreSimulator
internal import Cryptography
internal import NotificationStore
internal import SignedPayloads
internal import System

/// What the notifications that have the same number in their lives have in common.
///
/// To make a notification member by member and to verify it takes four times as long as to sign it. So one notification of
/// each number is made in that way, and the others get their own values in its payloads and columns.
struct HistoryShape {
    private let proof: StoreProof
    private let notification: StoredNotification
    private let transaction: StoredPart<TransactionColumns>
    private let renewal: StoredPart<RenewalColumns>
    private let payload: TextPattern
    private let transactionPayload: TextPattern
    private let renewalPayload: TextPattern

    /// Takes over a verified notification with these values.
    init(_ verified: VerifiedPayload<SignedNotification>, of values: HistoryValues) throws {
        let item = StoreItem(verified, source: .history, receivedAt: values.signedAt)
        guard case .verified(let signedTransaction, _) = verified.payload.transaction,
            case .verified(let signedRenewal, _) = verified.payload.renewalInfo,
            case .notification(let notification) = item.content,
            case .sound(let transaction) = notification.transaction,
            case .sound(let renewal) = notification.renewal
        else { throw Failure("a part was not verified") }
        // The content of the proof does not matter to the store.
        proof = StoreProof(verified)
        (self.notification, self.transaction, self.renewal) = (notification, transaction, renewal)
        payload = TextPattern(
            verified.payload.received.payload, values.texts + [transaction.jws, renewal.jws])
        transactionPayload = TextPattern(signedTransaction.payload.received.payload, values.texts)
        renewalPayload = TextPattern(signedRenewal.payload.received.payload, values.texts)
    }

    /// Returns the notification with these values, signed like the first one.
    func item(_ values: HistoryValues, _ signer: SignedRequestBuilder) throws -> StoreItem {
        let transactionJWS = try signer.compact(transactionPayload.filled(values.texts))
        let renewalJWS = try signer.compact(renewalPayload.filled(values.texts))
        let whole = payload.filled(values.texts + [transactionJWS, renewalJWS])
        func part<Columns>(_ jws: [UInt8], _ columns: Columns) -> NestedPart<Columns> {
            let place = whole.firstRange(of: jws)
            return .sound(StoredPart(proof: proof, Self.received(jws), place: place, columns: columns))
        }
        var columns = notification.columns
        columns.signedAt = values.signedAt
        var made = StoredNotification(
            proof: proof, Self.received(try signer.compact(whole)),
            identity: StoredNotification.Identity(
                app: notification.identity.app, environment: notification.identity.environment,
                uuid: values.uuid), columns: columns)
        made.transaction = part(transactionJWS, transactionColumns(values))
        made.renewal = part(renewalJWS, renewalColumns(values))
        return StoreItem(.notification(made), source: .history, receivedAt: values.signedAt)
    }

    private static func received(_ jws: [UInt8]) -> ReceivedJWS {
        let parts = jws.split(separator: UInt8(ascii: "."))
        let (payload, signature) = (Array(parts[1]), Array(parts[2]))
        let decoded = Base64URL.decode(payload.span)
        let bytes = Base64URL.decode(signature.span)
        return ReceivedJWS(header: Array(parts[0]), payload: decoded ?? [], signature: bytes ?? [])
    }

    private func transactionColumns(_ values: HistoryValues) -> TransactionColumns {
        var columns = transaction.columns
        columns.signedAt = values.signedAt
        columns.originalTransactionID = values.originalTransactionId
        columns.transactionID = values.transactionId
        columns.webOrderLineItemID = values.webOrderLineItemId
        columns.appTransactionID = values.appTransactionId
        columns.purchasedAt = values.signedAt
        columns.originallyPurchasedAt = values.subscribedAt
        columns.expiresAt = values.expiresAt
        columns.storefront = values.storefront
        return columns
    }

    private func renewalColumns(_ values: HistoryValues) -> RenewalColumns {
        var columns = renewal.columns
        columns.signedAt = values.signedAt
        columns.originalTransactionID = values.originalTransactionId
        columns.appTransactionID = values.appTransactionId
        columns.subscribedAt = values.subscribedAt
        columns.renewsAt = values.expiresAt
        return columns
    }
}

/// The values of one notification of a life. Two notifications that have the same number in their lives differ in nothing else.
struct HistoryValues {
    /// The time of the purchase and of signing, milliseconds since 1970.
    let signedAt: Int64
    /// The start of the first period.
    let subscribedAt: Int64
    /// The end of the running period.
    let expiresAt: Int64
    let originalTransactionId: String
    let transactionId: String
    let webOrderLineItemId: String
    let appTransactionId: String
    let storefront: String
    let uuid: String
    /// The subscription, from which a notification is made member by member.
    let sample: SubscriptionSample
    /// The values as they stand in payloads, always in this order. Each has the same length in all notifications.
    let texts: [[UInt8]]

    /// The values of a subscriber in period `period`; the first is 1.
    init(subscriber: Int, period: Int64, signedAt: Int64, uuid: UUID) {
        let duration: Int64 = 30 * 86_400_000
        let original = 2_000_000_100_000_000 + Int64(subscriber) * 100
        let transaction = original + period - 1
        self.signedAt = signedAt
        self.uuid = uuid.description
        subscribedAt = signedAt - (period - 1) * duration
        expiresAt = signedAt + duration
        originalTransactionId = String(original)
        transactionId = String(transaction)
        webOrderLineItemId = String(transaction + 500_000_000)
        appTransactionId = String(original + 700_000_000)
        storefront = ["USA", "DEU", "JPN", "BRA", "FRA"][subscriber % 5]
        var sample = SubscriptionSample(
            appAppleId: Traffic.appAppleId, bundleId: Traffic.bundleId, environment: .sandbox,
            purchaseDate: signedAt)
        sample.originalTransactionId = original
        sample.period = period
        sample.productId = Traffic.productId
        sample.storefront = storefront
        self.sample = sample
        texts = [
            originalTransactionId, transactionId, webOrderLineItemId, appTransactionId, String(signedAt),
            String(subscribedAt), String(expiresAt), "\"\(storefront)\"", self.uuid,
        ].map { Array($0.utf8) }
    }
}

/// A text in which other values of the same lengths can stand at the same places.
struct TextPattern {
    private let text: [UInt8]
    /// Where the values stand, each by its number.
    private let places: [(value: Int, range: Range<Int>)]

    /// Finds `values` in a text.
    init(_ text: [UInt8], _ values: [[UInt8]]) {
        self.text = text
        places = values.enumerated().flatMap { number, value in
            let starts = text.indices.prefix(max(0, text.count - value.count + 1))
            return starts.filter { text[$0...].starts(with: value) }
                .map { (value: number, range: $0..<$0 + value.count) }
        }
    }

    /// Returns the text with other values.
    func filled(_ values: [[UInt8]]) -> [UInt8] {
        var text = text
        for place in places { text.replaceSubrange(place.range, with: values[place.value]) }
        return text
    }
}
