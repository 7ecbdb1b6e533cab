internal import SQL

extension Erasure {
    /// Returns the numbers of the rows to delete, in ascending order. Since the tombstone is there, no further row is stored, so
    /// they are looked for once, and each transaction takes the next of them.
    ///
    /// - Parameters:
    ///   - moves: those from the erased subscription.
    ///   - connection: the connection.
    /// - Returns: the numbers by table.
    /// - Throws: the errors of the database.
    func rows(_ moves: SubscriptionMoves, on connection: any SQLConnection) throws(SQLError) -> [StoreTable:
        [Int64]]
    {
        var found: [StoreTable: [Int64]] = [:]
        let kept: [SQLValue] = keptDownload.map { [.text($0)] } ?? []
        for table in StoreTable.allCases {
            guard let text = ownRows(table) else { continue }
            try connection.read(text, [.text(subject.id)] + kept) { row throws(SQLError) in
                found[table, default: []].append(try row.integer(0))
            }
        }
        if case .originalTransaction(let id) = subject {
            try addMoved(from: id, moves, &found, on: connection)
        }
        return found.mapValues { $0.sorted() }
    }

    /// The statement that finds the rows with the subscriber's own identifier; nil for a table that does not have it.
    func ownRows(_ table: StoreTable) -> SQLText? {
        let column: SQLText
        switch (subject, table) {
        case (.originalTransaction, .appTransactions): return nil
        case (.originalTransaction, _): column = "original_transaction_id"
        case (.appTransaction, _): column = "app_transaction_id"
        }
        let kept: SQLText =
            keptDownload == nil ? "" : " AND (app_transaction_id IS NULL OR app_transaction_id <> ?)"
        return "SELECT id FROM " + table.name + " WHERE " + column + " = ?" + kept
    }

    /// Finds the rows of subscriptions that moved to Advanced Commerce, and name the erased one as the one before. What Apple
    /// signed after the erasure stays.
    private func addMoved(
        from id: String, _ moves: SubscriptionMoves, _ found: inout [StoreTable: [Int64]],
        on connection: any SQLConnection
    ) throws(SQLError) {
        var withNotification: Set<Int64> = []
        for successor in moves.next[id] ?? [] {
            let values: [SQLValue] = [.text(id), .text(successor), .text(id)]
            try connection.read(Self.movedNotifications, values) { row throws(SQLError) in
                let (number, download) = (try row.integer(0), try row.optionalText(2))
                let (time, ownRenewal) = (try row.optionalInteger(1), try row.optionalInteger(4))
                if !isKept(download), ownRenewal != nil || isKeptOut(id, at: time ?? .min) {
                    found[.notifications, default: []].append(number)
                } else {
                    withNotification.insert(try row.integer(3))
                }
            }
        }
        try connection.read(Self.movedTransactions, [.text(id)]) { row throws(SQLError) in
            let (number, download) = (try row.integer(0), try row.optionalText(1))
            guard !withNotification.contains(number), !isKept(download) else { return }
            let time = TransactionColumns.happenedAt(
                StoreSource(rawValue: try row.text(2)) ?? .import, signedAt: try row.optionalInteger(3),
                purchasedAt: try row.optionalInteger(4))
            if isKeptOut(id, at: time) { found[.transactions, default: []].append(number) }
        }
    }

    private func isKeptOut(_ id: String, at time: Int64) -> Bool {
        TombstoneSubject.predecessor(id, at: time).isKeptOut(erasedAt: erasedAt)
    }

    /// Returns true for the download whose rows are left for later.
    private func isKept(_ download: String?) -> Bool { download != nil && download == keptDownload }

    /// Notifications of a subscription whose transactions name the one before: number, time of signing, download, number of
    /// the transaction, and that of the renewal info when it is of the one before. The order of the tables keeps SQLite from
    /// going through all notifications for each transaction.
    static let movedNotifications: SQLText = """
        SELECT n.id, n.signed_at, n.app_transaction_id, t.id, r.id
        FROM notifications AS n CROSS JOIN transactions AS t
        LEFT JOIN renewals AS r ON r.digest = n.renewal_digest AND r.original_transaction_id = ?
        WHERE n.original_transaction_id = ? AND t.digest = n.transaction_digest
            AND t.previous_original_transaction_id = ? AND t.original_transaction_id = n.original_transaction_id
        """

    /// Transactions that name the one before: number, download, source, times of signing and purchase.
    static let movedTransactions: SQLText = """
        SELECT id, app_transaction_id, source, signed_at, purchased_at FROM transactions
        WHERE previous_original_transaction_id = ?
        """

    /// Returns true when Apple signed a notification without a known subscription after the erasure, and it names the subscriber
    /// only as the one before a move to Advanced Commerce: the store takes it.
    func isLater(_ row: SQLRow) -> Bool {
        guard case .integer(let time) = row.values[4], time > erasedAt else { return false }
        return (try? Self.subjects(ofUnassigned: row))?.contains(subject.tombstone) == false
    }
}
