internal import SQL

/// How far the states of subscribers go: the greatest numbers of the rows from which they were derived.
public struct StateMark: Sendable, Hashable {
    /// The greatest number of a notification.
    public var notifications: Int64
    /// The greatest number of a transaction.
    public var transactions: Int64
    /// The greatest number of a renewal info.
    public var renewals: Int64
    /// The greatest number of a synchronization.
    public var synchronizations: Int64

    /// Describes a mark.
    public init(notifications: Int64, transactions: Int64, renewals: Int64, synchronizations: Int64) {
        self.notifications = notifications
        self.transactions = transactions
        self.renewals = renewals
        self.synchronizations = synchronizations
    }

    /// The mark of a store without rows.
    public static let none = StateMark(notifications: 0, transactions: 0, renewals: 0, synchronizations: 0)
}

extension NotificationStore {
    /// Returns the mark up to which every row has its final place: no row with a smaller number can appear any more.
    public func settledMark() throws(NotificationStoreError) -> StateMark {
        let read = { (connection: any SQLConnection) throws(SQLError) in
            func greatest(_ table: SQLText) throws(SQLError) -> Int64 {
                try connection.number("SELECT COALESCE(MAX(id), 0) FROM " + table)
            }
            return StateMark(
                notifications: try greatest("notifications"),
                transactions: try greatest("transactions"),
                renewals: try greatest("renewals"),
                synchronizations: try greatest("synchronizations")
            )
        }
        guard dialect == .postgreSQL else { return try perform(read) }
        return try change(.exclusive, read)
    }

    /// Returns the subscriptions that got rows between two marks, or whose states must be derived again for
    /// another reason.
    ///
    /// - Parameters:
    ///   - from: the mark of the states.
    ///   - to: the mark to which the caller brings them.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    /// - Returns: the original transaction identifiers.
    /// - Throws: the errors of the database.
    public func changedSubscribers(
        from: StateMark,
        to: StateMark,
        app: String,
        environment: String
    ) throws(NotificationStoreError) -> Set<String> {
        var found: Set<String> = []
        let owner: [SQLValue] = [.text(app), .text(environment)]
        let ranges: [(table: SQLText, from: Int64, to: Int64)] = [
            ("notifications", from.notifications, to.notifications),
            ("transactions", from.transactions, to.transactions),
            ("renewals", from.renewals, to.renewals),
            ("synchronizations", from.synchronizations, to.synchronizations),
        ]
        for range in ranges {
            var place = range.from
            while place < range.to {
                let end = min(place + Self.changeWindowCount, range.to)
                try perform { connection throws(SQLError) in
                    for row in try connection.query(
                        Self.changes(of: range.table),
                        [.integer(place), .integer(end)]
                    ) {
                        guard try row.text(1) == app, try row.text(2) == environment else { continue }
                        if let id = try row.optionalText(0) { found.insert(id) }
                    }
                }
                place = end
            }
        }
        try perform { connection throws(SQLError) in
            for row in try connection.query(
                "SELECT original_transaction_id FROM subscriber_states WHERE app = ? AND environment = ? AND state IS NULL",
                owner
            ) { found.insert(try row.text(0)) }
        }
        return found
    }

    /// Asks who got rows between two numbers. The statement does not compare the app: SQLite would take the index of app and
    /// environment then, in which all rows are equal, and read the whole table.
    static func changes(of table: SQLText) -> SQLText {
        "SELECT DISTINCT original_transaction_id, app, environment FROM " + table
            + " WHERE " + SubscriberSearch.numbered
    }

    /// The most rows of a table that one statement goes through.
    static let changeWindowCount: Int64 = 20_000
}
