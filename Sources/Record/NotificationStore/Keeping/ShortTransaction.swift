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
            // A connection whose commits would go on without waiting must not be used again.
            var isSound = false
            defer { if !isSound { store.disconnect() } }
            let isLater = try LaterCommits.begin(on: connection)
            defer { isSound = !isLater || LaterCommits.end(on: connection) }
            return try connection.transaction { () throws(SQLError) in
                try StoreLock.shared.take(on: connection, isDurable: false)
                return try body(connection)
            }
        }
    }
}

/// The time in which commits on SQLite do not wait for the disk. The log keeps their order. On PostgreSQL, each transaction says
/// that for itself (``StoreLock``).
///
/// A commit still copies a long log into the file, and waits for that: if it did not, a recorder's next commit would have to.
private enum LaterCommits {
    /// Begins it, unless the connection is to a server or does not wait for the disk anyway.
    ///
    /// - Parameter connection: the connection, outside of a transaction.
    /// - Returns: true when it has begun.
    /// - Throws: the errors of SQLite.
    static func begin(on connection: any SQLConnection) throws(SQLError) -> Bool {
        guard connection.dialect == .sqlite,
            try connection.query("PRAGMA synchronous").first?.integer(0) == full
        else { return false }
        try connection.run("PRAGMA synchronous = NORMAL")
        return true
    }

    /// Ends it. Returns false when that failed.
    static func end(on connection: any SQLConnection) -> Bool {
        do throws(SQLError) {
            try connection.run("PRAGMA synchronous = FULL")
            return try connection.query("PRAGMA synchronous").first?.integer(0) == full
        } catch {
            return false
        }
    }

    /// The number of FULL in SQLite.
    private static let full: Int64 = 2
}
