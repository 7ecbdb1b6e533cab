internal import SQL

/// A notification as the store has it, without its JWS.
package struct NotificationRow: Sendable, Hashable {
    package let id: Int64
    package let app: String
    package let environment: String
    package let uuid: String
    package let source: String
    /// The time at which the program got it first, milliseconds since 1970.
    package let receivedAt: Int64
    package let columns: NotificationColumns
    /// The codes of the checks that nested parts failed, by the name of the part: `transaction`, `renewal`,
    /// `app_transaction`.
    package let faults: [String: String]
    /// The names of columns whose values did not fit. A list of marked notifications has those of nested parts too, such as
    /// `transaction.price`.
    package let unfit: Set<String>
    /// The digest of the nested renewal info; nil when there is none, or when it failed its check.
    package let renewalDigest: [UInt8]?

    static let names: [SQLText] =
        ["id"] + StoreTable.notifications.leading + [
            "transaction_fault", "renewal_fault", "app_transaction_fault", "unfit", "renewal_digest",
        ]
        + NotificationColumns.names

    /// Further columns of such a statement: what did not fit in nested parts.
    static let unfitOfParts: [SQLText] = [
        "(SELECT t.unfit FROM transactions AS t WHERE t.digest = transaction_digest)",
        "(SELECT r.unfit FROM renewals AS r WHERE r.digest = renewal_digest)",
        "(SELECT a.unfit FROM app_transactions AS a WHERE a.digest = app_transaction_digest)",
    ]

    init(_ row: some SQLColumns, hasUnfitOfParts: Bool = false) throws(SQLError) {
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
        var unfit = UnfitColumns.names(try row.optionalText(9))
        if hasUnfitOfParts {
            for (place, part) in ["transaction", "renewal", "app_transaction"].enumerated() {
                let names = UnfitColumns.names(try row.optionalText(Self.names.count + place))
                unfit.formUnion(names.map { "\(part).\($0)" })
            }
        }
        self.unfit = unfit
        renewalDigest = try row.optionalBytes(10)
        columns = try NotificationColumns(row, from: 11)
    }
}

/// A transaction, a renewal info or an app transaction as the store has it, without its JWS.
package struct PartRow<Columns: ColumnSet>: Sendable, Hashable {
    package let id: Int64
    /// SHA-256 of the JWS.
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

    init(_ row: some SQLColumns) throws(SQLError) {
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
    /// The first time of receipt, milliseconds since 1970.
    package var receivedFrom: Int64?
    /// The time of receipt before which the wanted ones lie.
    package var receivedTo: Int64?
    /// True for notifications with a nested part that failed its check, or with a value of their own or of a part that did not
    /// fit.
    package var isMarked = false

    package init() {}

    /// True when an index leads to the few rows that the filter lets through.
    var isSelective: Bool { uuid != nil || originalTransactionID != nil }

    private static let marked: SQLText = """
        (COALESCE(unfit, transaction_fault, renewal_fault, app_transaction_fault) IS NOT NULL
            OR EXISTS (SELECT 1 FROM transactions AS t WHERE t.digest = transaction_digest AND t.unfit IS NOT NULL)
            OR EXISTS (SELECT 1 FROM renewals AS r WHERE r.digest = renewal_digest AND r.unfit IS NOT NULL)
            OR EXISTS (SELECT 1 FROM app_transactions AS a
                WHERE a.digest = app_transaction_digest AND a.unfit IS NOT NULL))
        """

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
            + (isMarked ? [(Self.marked, [])] : [])
    }
}

package struct StorePage: Sendable, Hashable {
    package enum Order: Sendable, Hashable {
        /// The oldest first, in the order of storing.
        case ascending
        /// The newest first.
        case descending
    }

    package var order: Order
    /// The number behind which the page begins, in its order; nil for the first page.
    package var after: Int64?
    /// The most rows of the page, 1 to ``greatestCount``.
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
    /// The number behind which the next page begins; nil when nothing follows.
    package let next: Int64?
}

extension NotificationStore {
    /// Returns a page of notifications.
    ///
    /// A page takes about a second at most, so that neither checkpoints nor other programs wait for it; it is then shorter
    /// than asked for, and ``StoreList/next`` says where to go on.
    package func notifications(
        _ filter: NotificationFilter = NotificationFilter(), _ page: StorePage = StorePage()
    ) throws(NotificationStoreError) -> StoreList<NotificationRow> {
        try perform { connection throws(SQLError) in
            let names = NotificationRow.names + (filter.isMarked ? NotificationRow.unfitOfParts : [])
            let search = PagedSearch(
                columns: names, conditions: filter.conditions, page: page, timing: timing)
            let found = try filter.isSelective ? search.all(on: connection) : search.windows(on: connection)
            var rows: [NotificationRow] = []
            for row in found.rows { rows.append(try NotificationRow(row, hasUnfitOfParts: filter.isMarked)) }
            return StoreList(rows: rows, next: found.next)
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

/// Reads one page of rows of `notifications`. The first column is `id`.
struct PagedSearch {
    let columns: [SQLText]
    let conditions: [(text: SQLText, values: [SQLValue])]
    let page: StorePage
    let timing: StoreTiming

    /// How many numbers one statement goes through, and how long a page may take altogether. A statement that went through a
    /// whole table of millions of rows would hold up checkpoints.
    private static let windowCount: Int64 = 20_000
    private static let milliseconds: Int64 = 1000

    /// Reads the page with one statement, because an index leads to the rows.
    func all(on connection: any SQLConnection) throws(SQLError) -> (rows: [SQLRow], next: Int64?) {
        let isAscending = page.order == .ascending
        let rows = try select(
            from: isAscending ? page.after ?? 0 : 0, to: isAscending ? .max : (page.after ?? .max) - 1,
            count: page.count, on: connection)
        guard rows.count == page.count, let last = rows.last else { return (rows, nil) }
        return (rows, try last.integer(0))
    }

    /// Reads the page window by window, until it is full or its time is over.
    func windows(on connection: any SQLConnection) throws(SQLError) -> (rows: [SQLRow], next: Int64?) {
        let (lowest, highest) = try bounds(on: connection)
        let start = timing.elapsed()
        var rows: [SQLRow] = []
        var place = page.after ?? (page.order == .ascending ? lowest - 1 : highest + 1)
        while page.order == .ascending ? place < highest : place > lowest {
            let isAscending = page.order == .ascending
            let from = isAscending ? place : max(place - 1 - Self.windowCount, 0)
            let to = isAscending ? min(place + Self.windowCount, highest) : place - 1
            let found = try select(from: from, to: to, count: page.count - rows.count, on: connection)
            rows += found
            if rows.count == page.count, let last = rows.last { return (rows, try last.integer(0)) }
            place = isAscending ? to : from + 1
            if timing.elapsed() - start >= Self.milliseconds { return (rows, place) }
        }
        return (rows, nil)
    }

    /// The least and the greatest number in the table; 1 and 0 for an empty one.
    private func bounds(on connection: any SQLConnection) throws(SQLError) -> (Int64, Int64) {
        // Two statements, because SQLite takes each end of an index at once, but not both.
        let least = try connection.number("SELECT COALESCE(MIN(id), 1) FROM notifications")
        return (least, try connection.number("SELECT COALESCE(MAX(id), 0) FROM notifications"))
    }

    private func select(from: Int64, to: Int64, count: Int, on connection: any SQLConnection) throws(SQLError)
        -> [SQLRow]
    {
        var text: SQLText = "SELECT " + .list(columns) + " FROM notifications WHERE id > ? AND id <= ?"
        var values: [SQLValue] = [.integer(from), .integer(to)]
        for condition in conditions {
            text += " AND " + condition.text
            values += condition.values
        }
        text += page.order == .ascending ? " ORDER BY id LIMIT ?" : " ORDER BY id DESC LIMIT ?"
        return try connection.query(text, values + [.integer(Int64(count))])
    }
}
