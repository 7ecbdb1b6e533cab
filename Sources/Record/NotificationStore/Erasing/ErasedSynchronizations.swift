internal import SQL

/// A subscription of an app in an environment.
struct StoredSubscription: Hashable {
    let app: String
    let environment: String
    let id: String
}

extension Erasure {
    /// Deletes the notes that the histories of these subscriptions are whole: those whose rows were deleted, and those that moved
    /// from them to Advanced Commerce.
    static func deleteSynchronizations(
        of subscriptions: Set<StoredSubscription>, on connection: any SQLConnection
    ) throws(SQLError) {
        let rows = subscriptions.map { [SQLValue.text($0.app), .text($0.environment), .text($0.id)] }
        try connection.run(synchronizationDeletion, forEach: rows)
    }

    /// Deletes the notes of the erased subscription itself, in every app and environment, also without rows.
    func deleteOwnSynchronizations(on connection: any SQLConnection) throws(SQLError) {
        guard case .originalTransaction(let own) = subject else { return }
        // Each step goes to the next app and environment in the index.
        var last: [SQLValue] = [.text(""), .text("")]
        while let next = try connection.query(Self.nextPair, last).first?.values {
            try connection.run(Self.synchronizationDeletion, next + [.text(own)])
            last = next
        }
    }

    static let synchronizationDeletion: SQLText =
        "DELETE FROM synchronizations WHERE app = ? AND environment = ? AND original_transaction_id = ?"

    static let nextPair: SQLText =
        "SELECT app, environment FROM synchronizations WHERE (app, environment) > (?, ?) ORDER BY app, environment LIMIT 1"
}
