internal import SQL

/// A subscription whose whole history Apple's server gave.
package struct Synchronization: Sendable, Hashable {
    package let originalTransactionID: String
    package let app: String
    package let environment: String
    /// The time before which the history is whole, milliseconds since 1970.
    package let at: Int64
}

extension NotificationStore {
    package func synchronizations(after: Int64 = 0, count: Int = StorePage.greatestCount)
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
    package func noteSynchronization(of ids: Set<String>, app: String, environment: String, at time: Int64)
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
    static let removeSynchronization: SQLText =
        "DELETE FROM synchronizations WHERE app = ? AND environment = ? AND original_transaction_id = ?"
    private static let addSynchronization: SQLText = """
        INSERT INTO synchronizations (app, environment, original_transaction_id, synchronized_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (app, environment, original_transaction_id)
        DO UPDATE SET synchronized_at = excluded.synchronized_at
        """
}

/// The moves of subscriptions to Advanced Commerce, each from one identifier to another.
struct SubscriptionMoves {
    /// The identifiers to which a subscription moved, by the one before.
    private(set) var next: [String: Set<String>] = [:]

    init(from ids: Set<String>, on connection: any SQLConnection) throws(SQLError) {
        try add(from: ids, on: connection)
    }

    mutating func add(from ids: Set<String>, on connection: any SQLConnection) throws(SQLError) {
        var known = ids
        var last = ids
        for _ in 0..<Self.longestChain where !last.isEmpty {
            let asked = last.sorted().map { SQLValue.text($0) }
            last = []
            for values in Self.listed.pages(of: asked) {
                for row in try connection.query(Self.search, values) {
                    let id = try row.text(1)
                    next[try row.text(0), default: []].insert(id)
                    if known.insert(id).inserted { last.insert(id) }
                }
            }
        }
    }

    /// Returns the subscriptions to which some others moved, in one step or several.
    func successors(of ids: Set<String>) -> Set<String> {
        var found: Set<String> = []
        var last = ids
        while !last.isEmpty {
            var following: Set<String> = []
            for id in last { following.formUnion(next[id] ?? []) }
            last = following.subtracting(ids).subtracting(found)
            found.formUnion(last)
        }
        return found
    }

    func ids(following owners: Set<StoredSubscription>) -> Set<String> {
        let ids = Set(owners.map(\.id))
        return ids.union(successors(of: ids))
    }

    func followed(_ owners: Set<StoredSubscription>) -> Set<StoredSubscription> {
        var all = owners
        for owner in owners {
            for id in successors(of: [owner.id]) {
                all.insert(StoredSubscription(app: owner.app, environment: owner.environment, id: id))
            }
        }
        return all
    }

    /// The most moves of one subscriber that count.
    private static let longestChain = 16
    private static let listed = SQLList(count: 256)
    static let search: SQLText =
        "SELECT DISTINCT previous_original_transaction_id, original_transaction_id FROM transactions "
        + "WHERE previous_original_transaction_id IN " + listed.text
        + " AND previous_original_transaction_id IS NOT NULL AND original_transaction_id IS NOT NULL"
}
