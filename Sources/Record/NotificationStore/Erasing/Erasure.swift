internal import SQL

/// Finds and deletes the rows of one subscriber.
struct Erasure {
    let subject: ErasureSubject
    /// The time of the erasure, milliseconds since 1970. What happened later in a subscription that goes on under another
    /// identifier stays (``TombstoneSubject/predecessor(_:at:)``).
    var erasedAt = Int64.max
    /// A download of the app whose rows are left for later; nil: none.
    var keptDownload: String?

    /// Reads a page of notifications that belong to no known subscription, with the identifiers of their nested parts.
    static let unassigned: SQLText = """
        SELECT n.id, n.uuid, n.payload, n.raw, n.signed_at, t.original_transaction_id, r.original_transaction_id,
            t.previous_original_transaction_id, t.app_transaction_id, r.app_transaction_id, a.app_transaction_id
        FROM notifications AS n LEFT JOIN transactions AS t ON t.digest = n.transaction_digest
        LEFT JOIN renewals AS r ON r.digest = n.renewal_digest
        LEFT JOIN app_transactions AS a ON a.digest = n.app_transaction_digest
        WHERE n.original_transaction_id IS NULL AND n.id > ? ORDER BY n.id LIMIT ?
        """

    /// Returns the subscriptions that the rows of a download of the app name.
    static func subscriptions(
        ofDownload id: String,
        on connection: any SQLConnection
    ) throws(SQLError) -> Set<String> {
        var found: Set<String> = []
        for table in [StoreTable.transactions, .renewals, .notifications] {
            let text: SQLText =
                "SELECT DISTINCT original_transaction_id FROM " + table.name
                + " WHERE app_transaction_id = ? AND original_transaction_id IS NOT NULL"
            for row in try connection.query(text, [.text(id)]) { found.insert(try row.text(0)) }
        }
        return found
    }

    static let notOfDownload: SQLText = " AND (app_transaction_id IS NULL OR app_transaction_id <> ?)"

    /// Deletes rows of a table, and notes in the report what they say about other identifiers.
    ///
    /// - Returns: the number of deleted rows.
    func delete(
        from table: StoreTable,
        limit: Int,
        _ report: inout ErasureReport,
        on connection: any SQLConnection
    ) throws(SQLError) -> Int {
        var (condition, values) = condition(table)
        if let keptDownload {
            condition = "(" + condition + ")" + Self.notOfDownload
            values.append(.text(keptDownload))
        }
        var changed: Set<StateOwner> = []
        var columns: SQLText = "id, app_transaction_id"
        switch table {
        case .transactions: columns += ", original_transaction_id, previous_original_transaction_id"
        case .notifications, .renewals: columns += ", original_transaction_id"
        case .appTransactions: break
        }
        columns += ", app, environment"
        // The rows under the subscriber's own identifier first: there may be very many, and no batch goes through all.
        var rows = try ownRows(table, columns, limit: limit, on: connection)
        if rows.isEmpty {
            rows = try connection.query(
                "SELECT " + columns + " FROM " + table.name + " WHERE " + condition + " ORDER BY id LIMIT ?",
                values + [.integer(Int64(limit))]
            )
        }
        for row in rows { try note(row, &report, &changed) }
        let delete: SQLText = "DELETE FROM " + table.name + " WHERE id = ?"
        let count = try connection.run(delete, forEach: rows.map { [$0.values[0]] }).reduce(0, +)
        // In the same transaction, so that an erasure that is interrupted here leaves no state behind.
        if count > 0 { try deleteStates(of: changed, &report.changedIDs, on: connection) }
        switch table {
        case .notifications: report.notificationCount += count
        case .transactions: report.transactionCount += count
        case .renewals: report.renewalCount += count
        case .appTransactions: report.appTransactionCount += count
        }
        return count
    }

    /// Returns true when a notification without a known subscription has the identifier: in the row of a nested part, or as
    /// a value in its payload or in the payload of a nested JWS.
    func isMentioned(in row: SQLRow) -> Bool {
        let places =
            switch subject {
            case .originalTransaction: 5...7
            case .appTransaction: 8...10
            }
        if row.values[places].contains(.text(subject.id)) { return true }
        let identifier = Array(subject.id.utf8)
        return Self.texts(of: row).contains { PayloadText.hasValue($0, identifier) }
    }

    /// Everything whose tombstone keeps a notification without a known subscription out, as when it is stored.
    static func subjects(ofUnassigned row: SQLRow) throws(SQLError) -> [TombstoneSubject] {
        let time = try row.optionalInteger(4) ?? .min
        var subjects = PayloadText.subjects(in: texts(of: row), at: time)
        for place in 5...6 {
            if let id = try row.optionalText(place) { subjects.insert(.originalTransaction(id)) }
        }
        if let id = try row.optionalText(7) { subjects.insert(.predecessor(id, at: time)) }
        for place in 8...10 {
            if let id = try row.optionalText(place) { subjects.insert(.appTransaction(id)) }
        }
        return Array(subjects) + [.notification(uuid: try row.text(1))]
    }

    /// The texts of a row of ``unassigned``, with those of the JWS inside of it.
    private static func texts(of row: SQLRow) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        if case .bytes(let payload) = row.values[2] { texts.append(payload) }
        if case .bytes(let raw) = row.values[3] {
            texts.append(raw)
            texts += PayloadText.decodedParts(of: raw)
        }
        return texts.flatMap { [$0] + PayloadText.decodedParts(of: $0) }
    }

    /// The condition for rows that belong to the subscriber, and its values.
    func condition(_ table: StoreTable) -> (SQLText, [SQLValue]) {
        let id = SQLValue.text(subject.id)
        switch (subject, table) {
        case (.originalTransaction, .notifications):
            // A subscription that moved to Advanced Commerce has a new identifier, and its transactions name the old one.
            return (
                """
                id IN (
                    SELECT id FROM notifications WHERE original_transaction_id = ?
                    UNION ALL SELECT n.id FROM notifications AS n JOIN transactions AS t ON t.digest = n.transaction_digest
                    WHERE t.previous_original_transaction_id = ? AND n.original_transaction_id = t.original_transaction_id
                        AND (COALESCE(n.signed_at, 0) <= ? OR EXISTS (
                            SELECT 1 FROM renewals AS r WHERE r.digest = n.renewal_digest AND r.original_transaction_id = ?
                        ))
                )
                """, [id, id, .integer(erasedAt), id]
            )
        case (.originalTransaction, .transactions):
            // With a notification, the time of its signing counts; else that of the purchase, as when an item is stored. When
            // the notification was pruned, the transaction was signed with it. Only the API signs an old one anew.
            return (
                """
                id IN (
                    SELECT id FROM transactions WHERE original_transaction_id = ?
                    UNION ALL SELECT t.id FROM transactions AS t WHERE t.previous_original_transaction_id = ?
                        AND (t.signed_at <= ?
                            OR ((t.source = 'api' OR t.signed_at IS NULL) AND COALESCE(t.purchased_at, 0) <= ?))
                        AND NOT EXISTS (
                            SELECT 1 FROM notifications AS n WHERE n.original_transaction_id = t.original_transaction_id
                                AND n.transaction_digest = t.digest AND n.signed_at > ?
                        )
                )
                """, [id, id, .integer(erasedAt), .integer(erasedAt), .integer(erasedAt)]
            )
        case (.originalTransaction, .renewals): return ("original_transaction_id = ?", [id])
        case (.originalTransaction, .appTransactions):
            // An app transaction names no subscription.
            return ("1 = 0", [])
        case (.appTransaction, _): return ("app_transaction_id = ?", [id])
        }
    }

    /// The last two columns are the app and the environment.
    private func note(
        _ row: SQLRow,
        _ report: inout ErasureReport,
        _ changed: inout Set<StateOwner>
    ) throws(SQLError) {
        let end = row.values.count - 2
        if let customer = try row.optionalText(1) { report.linkedAppTransactionIDs.insert(customer) }
        if end > 2, let id = try row.optionalText(2) {
            changed.insert(StateOwner(app: try row.text(end), environment: try row.text(end + 1), id: id))
        }
        for column in 2..<end {
            if let other = try row.optionalText(column) { report.linkedOriginalTransactionIDs.insert(other) }
        }
        switch subject {
        case .originalTransaction(let id): report.linkedOriginalTransactionIDs.remove(id)
        case .appTransaction(let id): report.linkedAppTransactionIDs.remove(id)
        }
    }
}
