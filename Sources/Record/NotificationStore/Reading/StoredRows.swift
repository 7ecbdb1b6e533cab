internal import SQL

package struct NotificationRow: Sendable, Hashable {
    package let id: Int64
    package let app: String
    package let environment: String
    package let uuid: String
    package let source: String
    package let receivedAt: Int64
    package let columns: NotificationColumns
    /// By `transaction`, `renewal` and `app_transaction`.
    package let faults: [String: String]
    package let unfit: Set<String>
    package let renewalDigest: [UInt8]?

    static let names: [SQLText] =
        ["id"] + StoreTable.notifications.leading + [
            "transaction_fault", "renewal_fault", "app_transaction_fault", "unfit", "renewal_digest",
        ]
        + NotificationColumns.names

    init(_ row: SQLRow) throws(SQLError) {
        id = try row.integer(0)
        app = try row.text(1)
        environment = try row.text(2)
        uuid = try row.text(3)
        source = try row.text(4)
        receivedAt = try row.integer(5)
        var faults: [String: String] = [:]
        if let code = try row.optionalText(6) { faults["transaction"] = code }
        if let code = try row.optionalText(7) { faults["renewal"] = code }
        if let code = try row.optionalText(8) { faults["app_transaction"] = code }
        self.faults = faults
        unfit = UnfitColumns.names(try row.optionalText(9))
        renewalDigest = try row.optionalBytes(10)
        columns = try NotificationColumns(row, from: 11)
    }
}

package struct PartRow<Columns: ColumnSet>: Sendable, Hashable {
    package let id: Int64
    package let digest: [UInt8]
    package let app: String
    package let environment: String
    package let source: String
    package let receivedAt: Int64
    package let columns: Columns
    package let unfit: Set<String>
}

extension PartRow where Columns: TableColumns {
    static func names(_ table: StoreTable) -> [SQLText] {
        ["id"] + table.leading + ["unfit"] + Columns.readNames
    }

    init(_ row: SQLRow) throws(SQLError) {
        id = try row.integer(0)
        digest = try row.bytes(1)
        app = try row.text(2)
        environment = try row.text(3)
        source = try row.text(4)
        receivedAt = try row.integer(5)
        unfit = UnfitColumns.names(try row.optionalText(6))
        columns = try Columns(row, from: 7)
    }
}

/// Which notifications a caller wants to see. A property that is nil lets all through.
package struct NotificationFilter: Sendable {
    package var app: String?
    package var environment: String?
    package var uuid: String?
    package var type: String?
    package var subtype: String?
    package var originalTransactionID: String?
    package var productID: String?
    package var source: StoreSource?
    package var receivedFrom: Int64?
    package var receivedTo: Int64?
    package init() {}

    var isSelective: Bool { uuid != nil || originalTransactionID != nil }

    var conditions: [(text: SQLText, values: [SQLValue])] {
        let texts: [(SQLText, String?)] = [
            ("app = ?", app), ("environment = ?", environment), ("uuid = ?", uuid), ("type = ?", type),
            ("subtype = ?", subtype), ("original_transaction_id = ?", originalTransactionID),
            ("product_id = ?", productID), ("source = ?", source?.rawValue),
        ]
        let numbers: [(SQLText, Int64?)] = [
            ("received_at >= ?", receivedFrom), ("received_at < ?", receivedTo),
        ]
        return texts.compactMap { text, value in value.map { (text, [.text($0)]) } }
            + numbers.compactMap { text, value in value.map { (text, [.integer($0)]) } }
    }
}

package struct StorePage: Sendable, Hashable {
    package enum Order: Sendable, Hashable {
        case ascending
        case descending
    }

    package var order: Order
    package var after: Int64?
    package var count: Int

    package static let greatestCount = 1000

    package init(_ order: Order = .ascending, after: Int64? = nil, count: Int = 100) {
        self.order = order
        self.after = after
        self.count = min(max(count, 1), Self.greatestCount)
    }
}

package struct StoreList<Row: Sendable>: Sendable {
    /// The rows. There may be fewer than asked for, or none, although more follow: a page takes a limited time.
    package let rows: [Row]
    package let next: Int64?
}

extension NotificationStore {
    /// Reads for about a second at most, so that neither checkpoints nor other programs wait; ``StoreList/next`` says
    /// where to go on.
    package func notifications(
        _ filter: NotificationFilter = NotificationFilter(), _ page: StorePage = StorePage()
    ) throws(NotificationStoreError) -> StoreList<NotificationRow> {
        try perform { connection throws(SQLError) in
            let least = try connection.number("SELECT COALESCE(MIN(id), 1) FROM notifications")
            let greatest = try connection.number("SELECT COALESCE(MAX(id), 0) FROM notifications")
            var text: SQLText =
                "SELECT " + .list(NotificationRow.names) + " FROM notifications WHERE id > ? AND id <= ?"
            for condition in filter.conditions { text += " AND " + condition.text }
            let isAscending = page.order == .ascending
            text += isAscending ? " ORDER BY id LIMIT ?" : " ORDER BY id DESC LIMIT ?"
            // An index leads to the few rows of a selective filter.
            let window = filter.isSelective ? greatest : 20_000
            var place = isAscending ? page.after ?? least - 1 : min(page.after ?? .max, greatest + 1)
            var rows: [NotificationRow] = []
            for _ in 0..<50 {
                guard isAscending ? place < greatest : place > least else {
                    return StoreList(rows: rows, next: nil)
                }
                let from = isAscending ? place : max(place - 1 - window, 0)
                let to = isAscending ? min(place + window, greatest) : place - 1
                let values: [SQLValue] =
                    [.integer(from), .integer(to)] + filter.conditions.flatMap { $0.values }
                for row in try connection.query(text, values + [.integer(Int64(page.count - rows.count))]) {
                    rows.append(try NotificationRow(row))
                }
                if rows.count == page.count, let last = rows.last {
                    return StoreList(rows: rows, next: last.id)
                }
                place = isAscending ? to : from + 1
            }
            return StoreList(rows: rows, next: place)
        }
    }

    /// Returns the greatest number of a notification up to which every notification has its final place: none with a
    /// smaller number can appear any more. Whoever passes notifications on in their order goes up to it. Returns 0 for an
    /// empty store.
    ///
    /// On PostgreSQL this waits until transactions that are adding rows have ended. SQLite has one writer at a time, so the
    /// rows appear in the order of their numbers.
    package func settledNotificationID() throws(NotificationStoreError) -> Int64 {
        guard dialect == .postgreSQL else { return try greatestID(.notification) }
        return try change(.exclusive) { connection throws(SQLError) in
            try connection.number("SELECT COALESCE(MAX(id), 0) FROM notifications")
        }
    }
}
