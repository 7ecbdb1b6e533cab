internal import SQL

extension NotificationStore {
    /// Writes states, in short transactions. A state without bytes removes its row.
    ///
    /// An erasure may have deleted rows since somebody read them for a state. Such a state is not written. If the subscription
    /// still has rows, its state must be derived again.
    ///
    /// - Returns: the subscriptions whose states were not written for that reason.
    /// - Throws: `store.bad-argument` for an identifier that does not fit.
    @discardableResult
    public func write(
        _ states: [SubscriberState],
        app: String,
        environment: String
    ) throws(NotificationStoreError) -> Set<String> {
        guard ColumnText.fits(app), ColumnText.fits(environment),
            states.allSatisfy({ ColumnText.fits($0.originalTransactionID) })
        else { throw .badArgument }
        let writing = StateWriting(app: app, environment: environment)
        var rest = states[...]
        var outdated: Set<String> = []
        guard !rest.isEmpty else { return [] }
        try inShortTransactions(from: &stateLimit) { (limit, connection) throws(SQLError) in
            let some = Array(rest.prefix(limit))
            outdated.formUnion(try writing.write(some, on: connection))
            rest = rest.dropFirst(some.count)
            return some.count
        }
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
        var written: [[SQLValue]] = []
        var removed: [[SQLValue]] = []
        var outdated: [String] = []
        for (place, state) in states.enumerated() {
            let owner: [SQLValue] = [.text(app), .text(environment), .text(state.originalTransactionID)]
            var isOutdated = erased.contains(place)
            if !isOutdated { isOutdated = try !Self.hasLinkingRows(state, on: connection) }
            if let bytes = state.bytes, !isOutdated {
                written.append(owner + [.bytes(bytes)])
            } else {
                removed.append(owner)
                if isOutdated { outdated.append(state.originalTransactionID) }
            }
        }
        try connection.run(Self.insertion, forEach: written)
        try connection.run(NotificationStore.removeState, forEach: removed)
        try Self.mark(outdated, on: connection)
        return outdated
    }

    /// Notes that states must be derived, unless there are states, or no rows from which they could follow. A subscription
    /// belongs to one app in one environment, so one row tells them: there may be very many.
    static func mark(_ ids: [String], on connection: any SQLConnection) throws(SQLError) {
        for table in [StoreTable.transactions, .renewals, .notifications] {
            try connection.run(
                "INSERT INTO subscriber_states (app, environment, original_transaction_id) "
                    + "SELECT app, environment, original_transaction_id FROM " + table.name
                    + " WHERE original_transaction_id = ? LIMIT 1 "
                    + "ON CONFLICT (app, environment, original_transaction_id) DO NOTHING",
                forEach: ids.map { [.text($0)] }
            )
        }
    }

    /// Returns true when the store still has the rows that link a state to other subscriptions.
    private static func hasLinkingRows(
        _ state: SubscriberState,
        on connection: any SQLConnection
    ) throws(SQLError) -> Bool {
        for id in state.linkingRows {
            let found = try connection.query("SELECT 1 FROM transactions WHERE id = ?", [.integer(id)])
            if found.isEmpty { return false }
        }
        return true
    }

    private static let insertion: SQLText = """
        INSERT INTO subscriber_states (app, environment, original_transaction_id, state) VALUES (?, ?, ?, ?)
        ON CONFLICT (app, environment, original_transaction_id) DO UPDATE SET state = excluded.state
        """
}
