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
    static func subscriptions(ofDownload id: String, on connection: any SQLConnection) throws(SQLError)
        -> Set<String>
    {
        var found: Set<String> = []
        for table in [StoreTable.transactions, .renewals, .notifications] {
            let text: SQLText =
                "SELECT DISTINCT original_transaction_id FROM " + table.name
                + " WHERE app_transaction_id = ? AND original_transaction_id IS NOT NULL"
            for row in try connection.query(text, [.text(id)]) { found.insert(try row.text(0)) }
        }
        return found
    }

    /// Returns the subscriptions whose rows are deleted with the subscriber.
    func subscriptions(on connection: any SQLConnection) throws(SQLError) -> Set<String> {
        switch subject {
        case .originalTransaction(let id): [id]
        case .appTransaction(let id): try Self.subscriptions(ofDownload: id, on: connection)
        }
    }

    /// Deletes rows of a table, and notes in the report what they say about other identifiers.
    ///
    /// - Parameters:
    ///   - numbers: the numbers of the rows.
    ///   - table: the table.
    ///   - report: gets the number of deleted rows.
    ///   - connection: the connection, in a transaction.
    /// - Returns: the subscriptions to which the rows belonged.
    /// - Throws: the errors of the database.
    func delete(
        _ numbers: ArraySlice<Int64>, from table: StoreTable, _ report: inout ErasureReport,
        on connection: any SQLConnection
    ) throws(SQLError) -> Set<StoredSubscription> {
        var changed: Set<StoredSubscription> = []
        var found: [[SQLValue]] = []
        let search = Self.search(table)
        for values in Self.numbers.pages(of: numbers.map { .integer($0) }) {
            for row in try connection.query(search, values) {
                try note(row, &report, &changed)
                found.append([row.values[0]])
            }
        }
        let deletion: SQLText = "DELETE FROM " + table.name + " WHERE id = ?"
        let count = try connection.run(deletion, forEach: found).reduce(0, +)
        switch table {
        case .notifications: report.notificationCount += count
        case .transactions: report.transactionCount += count
        case .renewals: report.renewalCount += count
        case .appTransactions: report.appTransactionCount += count
        }
        return changed
    }

    /// The rows that are looked at together.
    private static let numbers = SQLList(count: 64)

    /// The statement that reads what rows say about identifiers, by the numbers of the rows.
    static func search(_ table: StoreTable) -> SQLText {
        let others: SQLText =
            switch table {
            case .transactions: ", original_transaction_id, previous_original_transaction_id"
            case .notifications, .renewals: ", original_transaction_id"
            case .appTransactions: ""
            }
        return "SELECT id, app_transaction_id" + others + ", app, environment FROM " + table.name
            + " WHERE id IN " + numbers.text
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

    /// The last two columns are the app and the environment.
    private func note(_ row: SQLRow, _ report: inout ErasureReport, _ changed: inout Set<StoredSubscription>)
        throws(SQLError)
    {
        let end = row.values.count - 2
        if let customer = try row.optionalText(1) { report.linkedAppTransactionIDs.insert(customer) }
        if end > 2, let id = try row.optionalText(2) {
            changed.insert(
                StoredSubscription(app: try row.text(end), environment: try row.text(end + 1), id: id)
            )
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
