internal import SQL

extension Erasure {
    /// Deletes what was derived for subscriptions whose rows were deleted, and for those that moved from them to Advanced
    /// Commerce, and the notes that their histories are whole. Marks the states of those that still have rows. A subscription
    /// that is only named in the deleted rows keeps everything, and so does one of another app or environment.
    func deleteStates(of owners: Set<StateOwner>, on connection: any SQLConnection) throws(SQLError) {
        let rows = owners.map(\.values)
        for table in Self.stateTables { try connection.run(StateOwner.deletion(from: table), forEach: rows) }
        // All rows of the erased subscription are deleted, and nothing is derived from them meanwhile.
        let own: String? = if case .originalTransaction(let id) = subject { id } else { nil }
        try StateWriting.mark(owners.filter { $0.id != own }, on: connection)
    }

    /// Deletes what the store has of the erased subscription itself, in every app and environment, also without rows.
    func deleteOwnStates(on connection: any SQLConnection) throws(SQLError) {
        guard case .originalTransaction(let own) = subject else { return }
        for table in Self.stateTables {
            let owners = try Self.pairs(of: table, on: connection).map { $0 + [.text(own)] }
            try connection.run(StateOwner.deletion(from: table), forEach: owners)
        }
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
}
