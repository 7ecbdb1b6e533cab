internal import SQL

/// What was derived from the rows of one subscription.
public struct SubscriberState: Sendable, Hashable {
    /// The original transaction identifier.
    public let originalTransactionID: String
    /// What was derived, in a form of the program; nil when nothing could be derived.
    public let bytes: [UInt8]?
    /// The subscriptions from whose rows it was derived; other than the subscription itself after a move to Advanced
    /// Commerce.
    public let sources: Set<String>
    /// The downloads (`appTransactionId`) in these rows.
    public let downloads: Set<String>

    /// Describes a state.
    public init(originalTransactionID: String, bytes: [UInt8]?, sources: Set<String>, downloads: Set<String>)
    {
        self.originalTransactionID = originalTransactionID
        self.bytes = bytes
        self.sources = sources
        self.downloads = downloads
    }

    /// Everything whose tombstone keeps the state out.
    var subjects: [TombstoneSubject] {
        sources.union([originalTransactionID]).map { .originalTransaction($0) }
            + downloads.map { .appTransaction($0) }
    }
}

extension NotificationStore {
    /// Writes states, in short transactions. A state of somebody who was erased meanwhile is left out. A state without bytes
    /// removes its row.
    ///
    /// - Throws: `store.bad-argument` for an identifier that does not fit.
    public func write(
        _ states: [SubscriberState],
        app: String,
        environment: String
    ) throws(NotificationStoreError) {
        guard ColumnText.fits(app), ColumnText.fits(environment),
            states.allSatisfy({ ColumnText.fits($0.originalTransactionID) })
        else { throw .badArgument }
        var rest = states[...]
        try inShortTransactions { (limit, connection) throws(SQLError) in
            let some = Array(rest.prefix(limit))
            let erased = try Tombstones.places(of: some, on: connection, subjects: \.subjects)
            var written: [[SQLValue]] = []
            var removed: [[SQLValue]] = []
            for (place, state) in some.enumerated() {
                let owner: [SQLValue] = [.text(app), .text(environment), .text(state.originalTransactionID)]
                if let bytes = state.bytes, !erased.contains(place) {
                    written.append(owner + [.bytes(bytes)])
                } else {
                    removed.append(owner)
                }
            }
            try connection.run(Self.writeState, forEach: written)
            try connection.run(Self.removeState, forEach: removed)
            rest = rest.dropFirst(some.count)
            return some.count
        }
    }

    /// Returns a page of states in the order of their identifiers, as the database orders texts.
    ///
    /// - Parameters:
    ///   - after: the last identifier of the page before; nil for the first page.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    ///   - count: the most states of the page.
    /// - Returns: the page.
    /// - Throws: the errors of the database.
    public func states(
        after: String? = nil,
        app: String,
        environment: String,
        count: Int = StorePage.greatestCount
    ) throws(NotificationStoreError) -> [(originalTransactionID: String, bytes: [UInt8])] {
        try perform { connection throws(SQLError) in
            var found: [(originalTransactionID: String, bytes: [UInt8])] = []
            for row in try connection.query(
                """
                SELECT original_transaction_id, state FROM subscriber_states
                WHERE app = ? AND environment = ? AND original_transaction_id > ? AND state IS NOT NULL
                ORDER BY original_transaction_id LIMIT ?
                """,
                [.text(app), .text(environment), .text(after ?? ""), .integer(Int64(count))]
            ) { found.append((try row.text(0), try row.bytes(1))) }
            return found
        }
    }

    /// Deletes all states of an app in an environment, in short transactions.
    public func removeStates(app: String, environment: String) throws(NotificationStoreError) {
        try inShortTransactions { (limit, connection) throws(SQLError) in
            let owner: [SQLValue] = [.text(app), .text(environment)]
            let rows = try connection.query(
                "SELECT original_transaction_id FROM subscriber_states WHERE app = ? AND environment = ? LIMIT ?",
                owner + [.integer(Int64(limit))]
            )
            try connection.run(Self.removeState, forEach: rows.map { owner + [$0.values[0]] })
            return rows.count
        }
    }

    /// Returns the subscriptions that moved to Advanced Commerce from one of these, in one step or several, so that its rows
    /// belong to their history.
    public func successors(of ids: Set<String>) throws(NotificationStoreError) -> Set<String> {
        try perform { connection throws(SQLError) in try Self.successors(of: ids, on: connection) }
    }

    /// The same on a connection.
    static func successors(
        of ids: Set<String>,
        on connection: any SQLConnection
    ) throws(SQLError) -> Set<String> {
        var found: Set<String> = []
        var last = ids
        for _ in 0..<longestChain where !last.isEmpty {
            var next: Set<String> = []
            for id in last.sorted() {
                for row in try connection.query(successorsOfOne, [.text(id)]) { next.insert(try row.text(0)) }
            }
            last = next.subtracting(ids).subtracting(found)
            found.formUnion(last)
        }
        return found
    }

    /// The most moves of one subscriber that count.
    private static let longestChain = 16
    private static let successorsOfOne: SQLText = """
        SELECT DISTINCT original_transaction_id FROM transactions
        WHERE previous_original_transaction_id = ? AND original_transaction_id IS NOT NULL
        """
    private static let writeState: SQLText = """
        INSERT INTO subscriber_states (app, environment, original_transaction_id, state) VALUES (?, ?, ?, ?)
        ON CONFLICT (app, environment, original_transaction_id) DO UPDATE SET state = excluded.state
        """
    private static let removeState: SQLText =
        "DELETE FROM subscriber_states WHERE app = ? AND environment = ? AND original_transaction_id = ?"
}

extension Erasure {
    /// Deletes what was derived for the erased subscriber, and marks the states of linked subscriptions, whose history
    /// changed.
    func deleteStates(linked: Set<String>, on connection: any SQLConnection) throws(SQLError) {
        var ids = linked
        if case .originalTransaction(let id) = subject { ids.insert(id) }
        ids.formUnion(try NotificationStore.successors(of: ids, on: connection))
        for id in ids.sorted() {
            let value = [SQLValue.text(id)]
            try connection.run("DELETE FROM subscriber_states WHERE original_transaction_id = ?", value)
            try connection.run("DELETE FROM synchronizations WHERE original_transaction_id = ?", value)
            for table in [StoreTable.transactions, .renewals, .notifications] {
                try connection.run(
                    "INSERT INTO subscriber_states (app, environment, original_transaction_id) "
                        + "SELECT DISTINCT app, environment, original_transaction_id FROM " + table.name
                        + " WHERE original_transaction_id = ? ON CONFLICT (app, environment, original_transaction_id) "
                        + "DO NOTHING",
                    value
                )
            }
        }
    }
}
