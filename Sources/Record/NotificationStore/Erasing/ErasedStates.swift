internal import SQL

/// Whose state it is: a subscription of an app in an environment.
struct StateOwner: Hashable {
    let app: String
    let environment: String
    let id: String
}

extension Erasure {
    /// Deletes what was derived for subscriptions whose rows were deleted, and the notes that their histories are whole. Marks
    /// the states of those that still have rows, and of those that moved from them to Advanced Commerce. A subscription that is
    /// only named in the deleted rows keeps everything.
    ///
    /// - Parameters:
    ///   - changed: the subscriptions to which the deleted rows belonged.
    ///   - moves: those from the subscriptions.
    ///   - connection: the connection, in the transaction that deletes the rows.
    /// - Throws: the errors of the database.
    func deleteStates(
        of changed: Set<StateOwner>,
        _ moves: SubscriptionMoves,
        on connection: any SQLConnection
    ) throws(SQLError) {
        var ids = Set(changed.map(\.id))
        let own: String? = if case .originalTransaction(let id) = subject { id } else { nil }
        ids.formUnion(moves.successors(of: ids))
        if let own { ids.insert(own) }
        for table in Self.stateTables {
            for pair in try Self.pairs(of: table, on: connection) {
                let rows = ids.sorted().map { pair + [SQLValue.text($0)] }
                try connection.run(Self.deletion(from: table), forEach: rows)
            }
        }
        // All rows of the erased subscription are deleted, and nothing is derived from them meanwhile.
        if let own { ids.remove(own) }
        var owners: Set<StateOwner> = []
        for owner in changed {
            for id in ids {
                owners.insert(StateOwner(app: owner.app, environment: owner.environment, id: id))
            }
        }
        try StateWriting.mark(owners, on: connection)
    }

    /// The tables with a row for a subscription of an app in an environment.
    static let stateTables: [SQLText] = ["subscriber_states", "synchronizations"]

    /// Returns every app and environment of a table. Each step goes to the next pair in the index.
    static func pairs(
        of table: SQLText,
        on connection: any SQLConnection
    ) throws(SQLError) -> [[SQLValue]] {
        var found: [[SQLValue]] = []
        var last: [SQLValue] = [.text(""), .text("")]
        while let next = try connection.query(nextPair(of: table), last).first?.values {
            found.append(next)
            last = next
        }
        return found
    }

    static func nextPair(of table: SQLText) -> SQLText {
        "SELECT app, environment FROM " + table
            + " WHERE (app, environment) > (?, ?) ORDER BY app, environment LIMIT 1"
    }

    /// The key is whole: the index begins with the app and the environment.
    static func deletion(from table: SQLText) -> SQLText {
        "DELETE FROM " + table + " WHERE app = ? AND environment = ? AND original_transaction_id = ?"
    }
}
