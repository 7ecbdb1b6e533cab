internal import SQL

package struct StoreStatistics: Sendable, Hashable {
    package struct Kind: Sendable, Hashable {
        package let app: String
        package let environment: String
        package let type: String
    }

    package internal(set) var notifications: [Kind: Int] = [:]
    package internal(set) var unfitCount = 0
    package internal(set) var faultCount = 0
    /// The notifications that are kept whole, because they could not be rebuilt from parts.
    package internal(set) var wholeCount = 0
    package internal(set) var firstReceivedAt: Int64?
    package internal(set) var lastReceivedAt: Int64?
    package internal(set) var transactionCount = 0
    package internal(set) var renewalCount = 0
    package internal(set) var appTransactionCount = 0
    package internal(set) var headerCount = 0
    package internal(set) var tombstoneCount = 0

    package var notificationCount: Int { notifications.values.reduce(0, +) }
}

extension NotificationStore {
    /// Short reads, so that checkpoints do not wait; rows that come meanwhile may be counted or not.
    package func statistics() throws(NotificationStoreError) -> StoreStatistics {
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

    package func staleSubscribers(app: String, environment: String, before time: Int64)
        throws(NotificationStoreError) -> [String]
    {
        var last: [String: Int64] = [:]
        for table in [StoreTable.transactions, .renewals] {
            let text: SQLText =
                "SELECT original_transaction_id, MAX(received_at) FROM " + table.name
                + " WHERE id > ? AND id <= ? AND app = ? AND environment = ? AND original_transaction_id IS NOT NULL"
                + " GROUP BY original_transaction_id"
            try forWindows(of: table) { (from, to, connection) throws(SQLError) in
                let values: [SQLValue] = [.integer(from), .integer(to), .text(app), .text(environment)]
                for row in try connection.query(text, values) {
                    let id = try row.text(0)
                    last[id] = max(last[id] ?? 0, try row.integer(1))
                }
            }
        }
        return last.filter { $0.value < time }.keys.sorted()
    }

    package func greatestID(_ kind: StoredJWS.Kind) throws(NotificationStoreError) -> Int64 {
        try greatestID(kind.table)
    }

    private func greatestID(_ table: StoreTable) throws(NotificationStoreError) -> Int64 {
        try perform { connection throws(SQLError) in
            try connection.number("SELECT COALESCE(MAX(id), 0) FROM " + table.name)
        }
    }

    private func forWindows(
        of table: StoreTable, _ body: (_ from: Int64, _ to: Int64, any SQLConnection) throws(SQLError) -> Void
    ) throws(NotificationStoreError) {
        let highest = try greatestID(table)
        var from: Int64 = 0
        while from < highest {
            let to = min(from + 20_000, highest)
            try perform { connection throws(SQLError) in try body(from, to, connection) }
            from = to
        }
    }
}

extension StoreStatistics {
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
