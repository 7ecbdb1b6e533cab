internal import System

/// The notifications and subscribers of one app in one environment.
struct NotificationState: Sendable, Hashable, Codable {
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

    /// The original transaction identifiers that a subscriber can have; those of its other transactions are higher.
    static let subscriberNumbers: ClosedRange<Int64> = 1...999_999_999_999_999
}
