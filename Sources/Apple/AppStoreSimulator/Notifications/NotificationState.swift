internal import JSON
internal import Vocabulary

/// The notifications and subscribers of one app in one environment.
struct NotificationState: Sendable, Hashable {
    /// The URL for App Store Server Notifications; nil when none is set.
    var url: String?
    /// All notifications in the order in which they were made.
    var notifications: [SimulatedNotification] = []
    /// The subscribers by their original transaction identifiers.
    var subscribers: [Int64: SimulatedSubscriber] = [:]
    /// The number of changes of transactions so far, which gives their history its order.
    var changeCount: Int64 = 0
    /// The nonces of the offers that were presented. Each is good once.
    var usedNonces: Set<UUID> = []

    /// Returns the subscriber to whom an identifier belongs: a transaction's, an original transaction's or an app
    /// transaction's.
    func subscriber(_ identifier: String) -> (id: Int64, subscriber: SimulatedSubscriber)? {
        if let number = Int64(identifier), let found = subscribers[number] { return (number, found) }
        for (number, subscriber) in subscribers
        where subscriber.transactions.contains(where: { transaction in
            transaction.transactionId == identifier
                || transaction.members.text("appTransactionId") == identifier
        }) {
            return (number, subscriber)
        }
        return nil
    }

    func isAppTransaction(_ identifier: String) -> Bool {
        subscribers.values.contains { subscriber in
            subscriber.transactions.contains { $0.members.text("appTransactionId") == identifier }
        }
    }

    /// The state as JSON: for a file with the JWS of the notifications, for people without.
    func node(hasPayloads: Bool) -> JSONNode {
        .object([
            ("url", url.map { .string($0) } ?? .null), ("changeCount", .integer(changeCount)),
            ("usedNonces", .array(usedNonces.map(\.description).sorted().map { .string($0) })),
            (
                "notifications",
                .array(notifications.map { hasPayloads ? $0.node : .object($0.summary) })
            ),
            (
                "subscribers",
                .object(subscribers.sorted { $0.key < $1.key }.map { (String($0.key), $0.value.node) })
            ),
        ])
    }

    /// Reads what ``node(hasPayloads:)`` gives for a file.
    init?(_ value: JSONValue) {
        guard let count = value.member("changeCount")?.int64, (0...Int64.max / 2).contains(count),
            let list = value.member("notifications"), list.kind == .array,
            let subscribers = value.member("subscribers"), subscribers.kind == .object
        else { return nil }
        url = value.member("url")?.string
        changeCount = count
        notifications = list.elements.compactMap(SimulatedNotification.init)
        guard notifications.count == list.count else { return nil }
        // A state that an older version wrote has none.
        if let nonces = value.member("usedNonces") {
            let read = nonces.elements.compactMap { $0.string.flatMap { UUID($0) } }
            guard nonces.kind == .array, read.count == nonces.count else { return nil }
            usedNonces = Set(read)
        }
        for (name, item) in subscribers.members {
            guard let number = Int64(name), Self.subscriberNumbers.contains(number), String(number) == name,
                let subscriber = SimulatedSubscriber(item)
            else { return nil }
            self.subscribers[number] = subscriber
        }
    }

    init() {}

    /// The original transaction identifiers that a subscriber can have; those of its other transactions are higher.
    static let subscriberNumbers: ClosedRange<Int64> = 1...999_999_999_999_999
}
