internal import SQL

/// The numbers of rows in a store.
public struct StoreStatistics: Sendable, Hashable {
    /// A kind of notifications.
    public struct Kind: Sendable, Hashable {
        /// The bundle identifier of the app.
        public let app: String
        public let environment: String
        /// `notificationType`; empty when there is none.
        public let type: String
    }

    public internal(set) var notifications: [Kind: Int] = [:]
    /// The notifications with a value that did not fit its column.
    public internal(set) var unfitCount = 0
    /// The notifications with a nested part that failed its check.
    public internal(set) var faultCount = 0
    /// The notifications that are kept whole, because they could not be rebuilt from parts.
    public internal(set) var wholeCount = 0
    /// The first time of receipt, milliseconds since 1970; nil for an empty store.
    public internal(set) var firstReceivedAt: Int64?
    /// The last time of receipt.
    public internal(set) var lastReceivedAt: Int64?
    public internal(set) var transactionCount = 0
    /// The renewal infos.
    public internal(set) var renewalCount = 0
    public internal(set) var appTransactionCount = 0
    public internal(set) var headerCount = 0
    public internal(set) var tombstoneCount = 0

    /// The notifications of all kinds.
    public var notificationCount: Int { notifications.values.reduce(0, +) }
}

extension NotificationStore {
    /// Counts the rows. A store of millions of rows takes some seconds; the work is done in short reads, so that checkpoints
    /// do not wait for it, and rows that come meanwhile may be counted or not.
    public func statistics() throws(NotificationStoreError) -> StoreStatistics {
        var statistics = StoreStatistics()
        try forWindows(of: .notifications) { (from, to, connection) throws(SQLError) in
            for row in try connection.query(Self.countOfKinds, [.integer(from), .integer(to)]) {
                try statistics.add(row)
            }
        }
        for table in [StoreTable.transactions, .renewals, .appTransactions] {
            var count = 0
            try forWindows(of: table) { (from, to, connection) throws(SQLError) in
                let text: SQLText = "SELECT COUNT(*) FROM " + table.name + " WHERE id > ? AND id <= ?"
                count += Int(try connection.number(text, [.integer(from), .integer(to)]))
            }
            switch table {
            case .transactions: statistics.transactionCount = count
            case .renewals: statistics.renewalCount = count
            default: statistics.appTransactionCount = count
            }
        }
        let (headers, tombstones) = try perform { connection throws(SQLError) in
            (
                try connection.number("SELECT COUNT(*) FROM headers"),
                try connection.number("SELECT COUNT(*) FROM tombstones")
            )
        }
        statistics.headerCount = Int(headers)
        statistics.tombstoneCount = Int(tombstones)
        return statistics
    }

    private static let countOfKinds: SQLText = """
        SELECT app, environment, type, COUNT(*), COUNT(unfit),
            COUNT(COALESCE(transaction_fault, renewal_fault, app_transaction_fault)), COUNT(raw),
            MIN(received_at), MAX(received_at)
        FROM notifications WHERE id > ? AND id <= ? GROUP BY app, environment, type
        """

    /// Calls `body` with one range of numbers after the other until all rows of a table are covered.
    private func forWindows(
        of table: StoreTable, _ body: (_ from: Int64, _ to: Int64, any SQLConnection) throws(SQLError) -> Void
    ) throws(NotificationStoreError) {
        let highest = try perform { connection throws(SQLError) in
            try connection.number("SELECT COALESCE(MAX(id), 0) FROM " + table.name)
        }
        var from: Int64 = 0
        while from < highest {
            let to = min(from + 20_000, highest)
            try perform { connection throws(SQLError) in try body(from, to, connection) }
            from = to
        }
    }
}

extension StoreStatistics {
    /// Adds a row of the statement that counts kinds.
    fileprivate mutating func add(_ row: SQLRow) throws(SQLError) {
        let kind = Kind(
            app: try row.text(0), environment: try row.text(1), type: try row.optionalText(2) ?? "")
        notifications[kind, default: 0] += Int(try row.integer(3))
        unfitCount += Int(try row.integer(4))
        faultCount += Int(try row.integer(5))
        wholeCount += Int(try row.integer(6))
        let (first, last) = (try row.integer(7), try row.integer(8))
        firstReceivedAt = min(firstReceivedAt ?? first, first)
        lastReceivedAt = max(lastReceivedAt ?? last, last)
    }
}
