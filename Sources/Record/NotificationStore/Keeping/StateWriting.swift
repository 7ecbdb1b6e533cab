internal import SQL

extension NotificationStore {
    /// Writes states, in short transactions. A state without bytes removes its row.
    ///
    /// An erasure may have deleted rows since somebody read them for a state. Such a state is not written. If the subscription
    /// still has rows, its state must be derived again.
    ///
    /// - Parameters:
    ///   - states: the states.
    ///   - app: the bundle identifier of the app.
    ///   - environment: the environment.
    ///   - claim: the right of the caller to write them; nil for a caller who needs none.
    /// - Returns: the subscriptions whose states were not written for that reason.
    /// - Throws: `store.bad-argument` for an identifier that does not fit, and `store.states-locked` when another program has
    ///   made a claim. What was written before stays.
    @discardableResult
    public func write(
        _ states: [SubscriberState],
        app: String,
        environment: String,
        with claim: StateClaim? = nil
    ) throws(NotificationStoreError) -> Set<String> {
        guard ColumnText.fits(app), ColumnText.fits(environment),
            states.allSatisfy({ ColumnText.fits($0.originalTransactionID) })
        else { throw .badArgument }
        let writing = StateWriting(app: app, environment: environment)
        // In one order, so that two programs that write the same states, because one has lost its lock, cannot deadlock.
        var rest = states.sorted { $0.originalTransactionID < $1.originalTransactionID }[...]
        var outdated: Set<String> = []
        var holds = true
        guard !rest.isEmpty else { return [] }
        // Erasures have the exclusive lock. New rows make no state wrong: the mark of the states does not include them.
        try inShortTransactions(of: .states, from: &stateLimit) { (limit, connection) throws(SQLError) in
            holds = try claim?.holds(on: connection) ?? true
            guard holds else { return 0 }
            let some = Array(rest.prefix(limit))
            outdated.formUnion(try writing.write(some, on: connection))
            rest = rest.dropFirst(some.count)
            return some.count
        }
        guard holds else { throw .statesLocked }
        return outdated
    }
}

/// Writes states of the subscribers of an app in an environment. The functions run inside of a transaction that keeps erasures
/// out.
struct StateWriting {
    let app: String
    let environment: String

    /// Returns the subscriptions whose states were derived from rows that are erased, and so are not written.
    func write(_ states: [SubscriberState], on connection: any SQLConnection) throws(SQLError) -> [String] {
        let erased = try Tombstones.places(of: states, on: connection, subjects: \.subjects)
        let linking = states.reduce(into: Set<Int64>()) { $0.formUnion($1.linkingRows) }
        let there = try Self.transactions(linking, on: connection)
        var written: [[SQLValue]] = []
        var removed: [[SQLValue]] = []
        var outdated: Set<StateOwner> = []
        for (place, state) in states.enumerated() {
            let owner = StateOwner(app: app, environment: environment, id: state.originalTransactionID)
            let isOutdated = erased.contains(place) || !state.linkingRows.isSubset(of: there)
            if let bytes = state.bytes, !isOutdated {
                written.append(owner.values + [.bytes(StoredState.bytes(bytes, state.packedRows ?? []))])
            } else {
                removed.append(owner.values)
                if isOutdated { outdated.insert(owner) }
            }
        }
        try connection.run(Self.insertion, forEach: written)
        try connection.run(StateOwner.deletion(from: "subscriber_states"), forEach: removed)
        try Self.mark(outdated, on: connection)
        return outdated.map(\.id)
    }

    /// Notes that states must be derived, unless there are states, or no rows from which they could follow.
    static func mark(_ owners: Set<StateOwner>, on connection: any SQLConnection) throws(SQLError) {
        let rows = owners.map { owner in
            let search: [SQLValue] = [.text(owner.id), .text(owner.app), .text(owner.environment)]
            return owner.values + search + search + search
        }
        try connection.run(marking, forEach: rows)
    }

    /// The search ends at the first row. The app and the environment are hidden from SQLite, which would take their index.
    static let marking: SQLText =
        """
        INSERT INTO subscriber_states (app, environment, original_transaction_id)
        SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT) WHERE
        """
        + " " + anyRow("transactions") + " OR " + anyRow("renewals") + " OR " + anyRow("notifications")
        + " ON CONFLICT (app, environment, original_transaction_id) DO NOTHING"

    private static func anyRow(_ table: SQLText) -> SQLText {
        "EXISTS (SELECT 1 FROM " + table
            + " WHERE original_transaction_id = ? AND app || '' = ? AND environment || '' = ?)"
    }

    /// Returns those numbers under which the store has a transaction.
    private static func transactions(
        _ numbers: Set<Int64>,
        on connection: any SQLConnection
    ) throws(SQLError) -> Set<Int64> {
        var found: Set<Int64> = []
        for values in listed.pages(of: numbers.map { .integer($0) }) {
            for row in try connection.query(search, values) {
                found.insert(try row.integer(0))
            }
        }
        return found
    }

    /// The transactions that are looked for together.
    private static let listed = SQLList(count: 64)
    private static let search: SQLText = "SELECT id FROM transactions WHERE id IN " + listed.text

    /// Asks for the last identifier of the next states; the number of states less one is the last value.
    static let lastOfSome: SQLText = """
        SELECT original_transaction_id FROM subscriber_states
        WHERE app = ? AND environment = ? AND original_transaction_id > ?
        ORDER BY original_transaction_id LIMIT 1 OFFSET ?
        """

    static let removalBehind = removal(SubscriberSearch.behind)
    static let removalBetween = removal(SubscriberSearch.between)

    private static func removal(_ condition: SQLText) -> SQLText {
        "DELETE FROM subscriber_states WHERE app = ? AND environment = ? AND " + condition
    }

    private static let insertion: SQLText = """
        INSERT INTO subscriber_states (app, environment, original_transaction_id, state) VALUES (?, ?, ?, ?)
        ON CONFLICT (app, environment, original_transaction_id) DO UPDATE SET state = excluded.state
        """
}
