internal import SQL

extension Erasure {
    /// Returns at most so many rows with the subscriber's own identifier. A batch takes any of them: an order would make the
    /// database go through all.
    func ownRows(
        _ table: StoreTable,
        _ columns: SQLText,
        limit: Int,
        on connection: any SQLConnection
    ) throws(SQLError) -> [SQLRow] {
        guard let text = ownRowsStatement(table, columns) else { return [] }
        let kept: [SQLValue] = keptDownload.map { [.text($0)] } ?? []
        return try connection.query(text, [.text(subject.id)] + kept + [.integer(Int64(limit))])
    }

    /// The statement of ``ownRows(_:_:limit:on:)``; nil for a table that does not have the identifier.
    func ownRowsStatement(_ table: StoreTable, _ columns: SQLText) -> SQLText? {
        let column: SQLText
        switch (subject, table) {
        case (.originalTransaction, .appTransactions): return nil
        case (.originalTransaction, _): column = "original_transaction_id"
        case (.appTransaction, _): column = "app_transaction_id"
        }
        let kept: SQLText = keptDownload == nil ? "" : Self.notOfDownload
        return "SELECT " + columns + " FROM " + table.name + " WHERE " + column + " = ?" + kept + " LIMIT ?"
    }

    /// Returns true when Apple signed a notification without a known subscription after the erasure, and it names the subscriber
    /// only as the one before a move to Advanced Commerce: the store takes it.
    func isLater(_ row: SQLRow) -> Bool {
        guard case .integer(let time) = row.values[4], time > erasedAt else { return false }
        return (try? Self.subjects(ofUnassigned: row))?.contains(subject.tombstone) == false
    }
}
