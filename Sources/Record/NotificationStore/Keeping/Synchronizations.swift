internal import SQL

/// A subscription whose whole history Apple's server gave.
public struct Synchronization: Sendable, Hashable {
    public let originalTransactionID: String
    /// The bundle identifier of the app.
    public let app: String
    /// The environment as Apple spells it.
    public let environment: String
    /// The time before which the history is whole, milliseconds since 1970.
    public let at: Int64
}

extension NotificationStore {
    /// Returns a page of synchronizations in the order of their numbers.
    ///
    /// - Parameters:
    ///   - after: the number behind which the page begins.
    ///   - count: the most rows of the page.
    /// - Returns: the page.
    /// - Throws: the errors of the database.
    public func synchronizations(after: Int64 = 0, count: Int = StorePage.greatestCount)
        throws(NotificationStoreError) -> StoreList<Synchronization>
    {
        try perform { connection throws(SQLError) in
            let rows = try connection.query(
                """
                SELECT id, original_transaction_id, app, environment, synchronized_at FROM synchronizations
                WHERE id > ? ORDER BY id LIMIT ?
                """,
                [.integer(after), .integer(Int64(count))]
            )
            var found: [Synchronization] = []
            for row in rows {
                found.append(
                    Synchronization(
                        originalTransactionID: try row.text(1), app: try row.text(2),
                        environment: try row.text(3), at: try row.integer(4))
                )
            }
            return StoreList(rows: found, next: rows.count == count ? try rows.last?.integer(0) : nil)
        }
    }

    /// Notes that the store has the whole history of subscriptions that Apple's server gave. A later time takes the place of
    /// an earlier one. An earlier time, which an import of an old export has, changes nothing.
    ///
    /// - Parameters:
    ///   - ids: the original transaction identifiers. One that is erased is left out.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    ///   - time: the time before which the history is whole, milliseconds since 1970.
    /// - Throws: `store.bad-argument` for a text that does not fit.
    public func noteSynchronization(of ids: Set<String>, app: String, environment: String, at time: Int64)
        throws(NotificationStoreError)
    {
        guard ColumnText.fits(app), ColumnText.fits(environment), ids.allSatisfy(ColumnText.fits) else {
            throw .badArgument
        }
        guard !ids.isEmpty else { return }
        try change(.shared) { connection throws(SQLError) in
            let sorted = ids.sorted()
            let erased = try Tombstones.places(of: sorted, on: connection) { [.originalTransaction($0)] }
            let kept = sorted.indices.filter { !erased.contains($0) }.map { sorted[$0] }
            var owners: [[SQLValue]] = []
            for id in kept {
                let owner: [SQLValue] = [.text(app), .text(environment), .text(id)]
                let known = try connection.query(Self.synchronization, owner).first
                if try known?.integer(0) ?? .min < time { owners.append(owner) }
            }
            // A new number shows the change to whoever follows the table by its numbers.
            try connection.run(Self.removeSynchronization, forEach: owners)
            try connection.run(Self.addSynchronization, forEach: owners.map { $0 + [.integer(time)] })
        }
    }

    private static let synchronization: SQLText = """
        SELECT synchronized_at FROM synchronizations WHERE app = ? AND environment = ? AND original_transaction_id = ?
        """
    private static let removeSynchronization: SQLText =
        "DELETE FROM synchronizations WHERE app = ? AND environment = ? AND original_transaction_id = ?"
    private static let addSynchronization: SQLText = """
        INSERT INTO synchronizations (app, environment, original_transaction_id, synchronized_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (app, environment, original_transaction_id)
        DO UPDATE SET synchronized_at = excluded.synchronized_at
        """
}
