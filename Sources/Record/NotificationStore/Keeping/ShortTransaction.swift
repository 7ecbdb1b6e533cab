internal import SQL

/// The kinds of changes that tools make in many short transactions, so that a recorder can write in between.
enum ShortTransaction {
    /// Rows of subscribers are deleted.
    case deletion
    /// States are written or deleted. They follow from rows, so a power cut may take the last of them: their commits do not wait
    /// for the disk. What is committed after them, and waits, makes them durable too, so a mark that says how far the states go
    /// is never without them. On SQLite, a recorder's commit would have to wait for theirs.
    case states

    /// The longest time for which one transaction keeps others from writing.
    var politeMilliseconds: Int64 {
        switch self {
        case .deletion: 50
        case .states: 10
        }
    }

    /// Runs `body` in a transaction of this kind.
    func run<Value>(
        on store: NotificationStore,
        _ body: (any SQLConnection) throws(SQLError) -> Value
    ) throws(NotificationStoreError) -> Value {
        guard case .states = self else { return try store.change(.exclusive, body) }
        return try store.perform { connection throws(SQLError) in
            let waits = try LaterCommits.begin(on: connection, checkpoints: store.takeCheckpointTurn())
            // A connection whose commits would go on without waiting must not be used again.
            defer { if let waits, !waits.end(on: connection) { store.disconnect() } }
            return try connection.transaction { () throws(SQLError) in
                try StoreLock.shared.take(on: connection, isDurable: false)
                return try body(connection)
            }
        }
    }
}

/// The time in which commits on SQLite do not wait for the disk. The log keeps their order. On PostgreSQL, each transaction says
/// that for itself (``StoreLock``).
private struct LaterCommits {
    private let checkpoints: Bool

    /// Begins it; nil for a server, and for a connection that does not wait for the disk anyway.
    ///
    /// - Parameters:
    ///   - connection: the connection, outside of a transaction.
    ///   - checkpoints: true if a commit may copy a long log into the file, as other commits do. That waits for the disk.
    /// - Returns: what ends it.
    /// - Throws: the errors of SQLite.
    static func begin(on connection: any SQLConnection, checkpoints: Bool) throws(SQLError) -> LaterCommits? {
        guard connection.dialect == .sqlite,
            try connection.query("PRAGMA synchronous").first?.integer(0) == full
        else { return nil }
        try connection.run("PRAGMA synchronous = NORMAL")
        if !checkpoints { _ = try? connection.query("PRAGMA wal_autocheckpoint = 0") }
        return LaterCommits(checkpoints: checkpoints)
    }

    /// Ends it. Returns false when that failed.
    func end(on connection: any SQLConnection) -> Bool {
        do throws(SQLError) {
            if !checkpoints { _ = try connection.query(SQLiteOpening.checkpointing) }
            try connection.run("PRAGMA synchronous = FULL")
            return try connection.query("PRAGMA synchronous").first?.integer(0) == Self.full
        } catch {
            return false
        }
    }

    /// The number of FULL in SQLite.
    private static let full: Int64 = 2
}
