internal import SQL

/// Finds and deletes the rows of one subscriber.
struct Erasure {
    let subject: ErasureSubject

    /// Reads a page of notifications that belong to no known subscription.
    static let unassigned: SQLText = """
        SELECT id, uuid, payload, raw FROM notifications
        WHERE original_transaction_id IS NULL AND id > ? ORDER BY id LIMIT ?
        """

    /// Deletes rows of a table, and notes in the report what they say about other identifiers.
    ///
    /// - Returns: the number of deleted rows.
    func delete(
        from table: StoreTable,
        limit: Int,
        _ report: inout ErasureReport,
        on connection: any SQLConnection
    ) throws(SQLError) -> Int {
        let (condition, values) = condition(table)
        var columns: SQLText = "id, app_transaction_id"
        switch table {
        case .transactions: columns += ", original_transaction_id, previous_original_transaction_id"
        case .notifications, .renewals: columns += ", original_transaction_id"
        case .appTransactions: break
        }
        let rows = try connection.query(
            "SELECT " + columns + " FROM " + table.name + " WHERE " + condition + " ORDER BY id LIMIT ?",
            values + [.integer(Int64(limit))]
        )
        for row in rows { try note(row, &report) }
        let delete: SQLText = "DELETE FROM " + table.name + " WHERE id = ?"
        let count = try connection.run(delete, forEach: rows.map { [$0.values[0]] }).reduce(0, +)
        // In the same transaction, so that an erasure that is interrupted here leaves no state behind.
        if count > 0 { try deleteStates(linked: report.linkedOriginalTransactionIDs, on: connection) }
        switch table {
        case .notifications: report.notificationCount += count
        case .transactions: report.transactionCount += count
        case .renewals: report.renewalCount += count
        case .appTransactions: report.appTransactionCount += count
        }
        return count
    }

    /// Returns true when a notification without a known subscription has the identifier in its payload: as it is, or in
    /// the payload of a nested JWS.
    func isMentioned(in row: SQLRow) -> Bool {
        var texts: [[UInt8]] = []
        if case .bytes(let payload) = row.values[2] { texts.append(payload) }
        if case .bytes(let raw) = row.values[3] {
            texts.append(raw)
            texts += PayloadText.decodedParts(of: raw)
        }
        let identifier = Array(subject.id.utf8)
        return texts.contains { text in
            PayloadText.contains(text, identifier)
                || PayloadText.decodedParts(of: text).contains { PayloadText.contains($0, identifier) }
        }
    }

    /// The condition for rows that belong to the subscriber, and its values.
    private func condition(_ table: StoreTable) -> (SQLText, [SQLValue]) {
        let id = SQLValue.text(subject.id)
        switch (subject, table) {
        case (.originalTransaction, .notifications):
            // A subscription that moved to Advanced Commerce has a new identifier, and its transactions name the old one.
            return (
                """
                (original_transaction_id = ? OR id IN (
                    SELECT n.id FROM notifications AS n JOIN transactions AS t ON t.digest = n.transaction_digest
                    WHERE t.previous_original_transaction_id = ? AND n.original_transaction_id = t.original_transaction_id
                ))
                """, [id, id]
            )
        case (.originalTransaction, .transactions):
            return ("(original_transaction_id = ? OR previous_original_transaction_id = ?)", [id, id])
        case (.originalTransaction, .renewals): return ("original_transaction_id = ?", [id])
        case (.originalTransaction, .appTransactions):
            // An app transaction names no subscription.
            return ("1 = 0", [])
        case (.appTransaction, _): return ("app_transaction_id = ?", [id])
        }
    }

    private func note(_ row: SQLRow, _ report: inout ErasureReport) throws(SQLError) {
        if let customer = try row.optionalText(1) { report.linkedAppTransactionIDs.insert(customer) }
        for column in 2..<max(2, row.values.count) {
            if let other = try row.optionalText(column) { report.linkedOriginalTransactionIDs.insert(other) }
        }
        switch subject {
        case .originalTransaction(let id): report.linkedOriginalTransactionIDs.remove(id)
        case .appTransaction(let id): report.linkedAppTransactionIDs.remove(id)
        }
    }
}
