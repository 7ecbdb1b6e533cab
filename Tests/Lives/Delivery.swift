import Cryptography
import NotificationStore
import SignedPayloads
import SubscriberHistory
import Support

enum Delivery {
    case item(StoreItem)
    case synchronization(of: Set<String>, at: Int64)
}

struct DeliveryDesk {
    static let app = "com.example.app"
    static let environment = "Production"
    private static let header = Array("e30".utf8)

    /// The content of a verified payload does not matter to the store.
    private let proof: StoreProof

    init() throws { proof = StoreProof(try SignedBody.verified()) }

    /// Everything about a subscriber, in the order of the payloads. All worlds use the same identifiers, so `suffix` tells the
    /// subscribers apart.
    func deliveries(of payloads: SubscriberPayloads, suffix: String) -> [Delivery] {
        var found: [Delivery] = []
        var nested: Set<String> = []
        let renewals = Dictionary(uniqueKeysWithValues: payloads.renewals.map { ($0.evidence.name, $0) })
        for notification in payloads.notifications {
            let renewal = payloads.renewalOfNotification[notification.evidence.name].flatMap { renewals[$0] }
            let transaction = payloads.transactions.first {
                $0.signedAt == notification.signedAt
                    && $0.columns.transactionID == notification.columns.transactionID
                    && !nested.contains($0.evidence.name)
            }
            nested.formUnion([renewal?.evidence.name, transaction?.evidence.name].compactMap { $0 })
            let stored = stored(notification, transaction, renewal, suffix)
            // Some come late: from Apple's history, or with an import.
            let source = [.push, .push, .push, StoreSource.history, .import][Int(notification.signedAt % 5)]
            found.append(
                .item(StoreItem(.notification(stored), source: source, receivedAt: notification.signedAt))
            )
        }
        for one in payloads.transactions where !nested.contains(one.evidence.name) {
            found.append(
                item(one, .transaction(part(one, suffix), app: Self.app, environment: Self.environment))
            )
        }
        for one in payloads.renewals where !nested.contains(one.evidence.name) {
            found.append(item(one, .renewal(part(one, suffix), app: Self.app, environment: Self.environment)))
        }
        for (id, time) in payloads.syncedAt.sorted(by: { $0.key < $1.key }) {
            found.append(.synchronization(of: [id + suffix], at: time))
        }
        return found
    }

    private func item<Columns>(_ payload: HistoryPayload<Columns>, _ content: StoreItem.Content) -> Delivery {
        .item(StoreItem(content, source: .api, receivedAt: payload.signedAt))
    }

    /// The identifier of a subscriber's download of the app. Apple's older payloads have none.
    static func download(_ suffix: String, _ signedAt: Int64) -> String? {
        signedAt < Life.time(120) ? nil : "70" + suffix
    }

    /// The name of a notification. Apple's are UUIDs, but the store must not rely on that: some are other texts.
    private static func uuid(of text: String) -> String {
        let digits = Hexadecimal.encode(SHA256.hash(Array(text.utf8).span).bytes.span)
        guard digits.utf8.first.map({ $0 % 4 > 0 }) ?? false else { return text }
        let parts = [8, 4, 4, 4, 12].reduce(into: (rest: Substring(digits), parts: [Substring]())) {
            $0.parts.append($0.rest.prefix($1))
            $0.rest = $0.rest.dropFirst($1)
        }
        return parts.parts.joined(separator: "-")
    }

    private func stored(
        _ payload: HistoryPayload<NotificationColumns>, _ transaction: HistoryPayload<TransactionColumns>?,
        _ renewal: HistoryPayload<RenewalColumns>?, _ suffix: String
    ) -> StoredNotification {
        var columns = payload.columns
        columns.originalTransactionID = columns.originalTransactionID.map { $0 + suffix }
        let uuid = Self.uuid(of: payload.evidence.name + suffix)
        var notification = StoredNotification(
            proof: proof, ReceivedJWS(header: Self.header, payload: Array(uuid.utf8), signature: []),
            identity: StoredNotification.Identity(app: Self.app, environment: Self.environment, uuid: uuid),
            columns: columns, unfit: payload.unfit)
        notification.transaction = transaction.map { .sound(part($0, suffix)) }
        notification.renewal = renewal.map { .sound(part($0, suffix)) }
        return notification
    }

    private func part(_ payload: HistoryPayload<TransactionColumns>, _ suffix: String) -> StoredPart<
        TransactionColumns
    > {
        var columns = payload.columns
        columns.originalTransactionID = columns.originalTransactionID.map { $0 + suffix }
        columns.previousOriginalTransactionID = columns.previousOriginalTransactionID.map { $0 + suffix }
        columns.appTransactionID = Self.download(suffix, payload.signedAt)
        // The number of refunded seats has no column: the store reads it from the payload.
        let seats = columns.revokedSeatQuantity.map { ",\"multiSeatInfo\":{\"revokedSeatQuantity\":\($0)}" }
        let text = "{\"name\":\"\(payload.evidence.name + suffix)\"\(seats ?? "")}"
        return part(payload, columns, text)
    }

    private func part(_ payload: HistoryPayload<RenewalColumns>, _ suffix: String) -> StoredPart<
        RenewalColumns
    > {
        var columns = payload.columns
        columns.originalTransactionID = columns.originalTransactionID.map { $0 + suffix }
        columns.appTransactionID = Self.download(suffix, payload.signedAt)
        return part(payload, columns, payload.evidence.name + suffix)
    }

    private func part<Columns>(_ payload: HistoryPayload<Columns>, _ columns: Columns, _ text: String)
        -> StoredPart<Columns>
    {
        let jws = ReceivedJWS(header: Self.header, payload: Array(text.utf8), signature: [])
        return StoredPart(proof: proof, jws, columns: columns, unfit: payload.unfit)
    }
}

extension NotificationStore {
    func rememberSynchronizations(among deliveries: some Sequence<Delivery>) throws -> [StoreItem] {
        var items: [StoreItem] = []
        for delivery in deliveries {
            switch delivery {
            case .item(let item): items.append(item)
            case .synchronization(let ids, let time):
                try rememberSynchronization(
                    of: ids, app: DeliveryDesk.app, environment: DeliveryDesk.environment, at: time)
            }
        }
        return items
    }
}
