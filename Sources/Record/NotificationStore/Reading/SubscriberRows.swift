internal import SQL

/// The rows of one subscription: everything from which its history follows.
public struct SubscriberRows: Sendable, Hashable {
    public let originalTransactionID: String
    /// The transactions in the order of storing.
    public internal(set) var transactions: [PartRow<TransactionColumns>] = []
    /// The renewal infos in the order of storing.
    public internal(set) var renewals: [PartRow<RenewalColumns>] = []
    /// The notifications in the order of storing, without their JWS.
    public internal(set) var notifications: [NotificationRow] = []
    /// The time before which the history is whole, because Apple's server gave it, milliseconds since 1970; nil if it never
    /// did.
    public internal(set) var synchronizedAt: Int64?
    /// True when the subscription has more than ``NotificationStore/subscriberRowCount`` rows of a kind, so that none was read.
    public internal(set) var hasTooMany = false

    public var count: Int { transactions.count + renewals.count + notifications.count }

    /// The identifiers that the subscription had before it moved to Advanced Commerce.
    public var previousIDs: Set<String> {
        var found: Set<String> = []
        for row in transactions { if let id = previousID(of: row) { found.insert(id) } }
        return found
    }

    private func previousID(of row: PartRow<TransactionColumns>) -> String? {
        guard let id = row.values.columns.previousOriginalTransactionID, id != originalTransactionID
        else { return nil }
        return id
    }

    /// The downloads (`appTransactionId`) to which the subscription belongs.
    public var downloads: Set<String> {
        var found: Set<String> = []
        var last: String?
        func add(_ id: String?) {
            guard let id, id != last else { return }
            found.insert(id)
            last = id
        }
        for row in transactions { add(row.values.columns.appTransactionID) }
        for row in renewals { add(row.values.columns.appTransactionID) }
        for row in notifications { add(row.values.columns.appTransactionID) }
        return found
    }

    public init(originalTransactionID: String) { self.originalTransactionID = originalTransactionID }
}
