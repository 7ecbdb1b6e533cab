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
            try Self.withoutWaiting(connection) { () throws(SQLError) in
                try connection.transaction { () throws(SQLError) in
                    try StoreLock.shared.take(on: connection, isDurable: false)
                    return try body(connection)
                }
            }
        }
    }

    /// Runs `body` while commits on SQLite do not wait for the disk. The log keeps their order. On PostgreSQL, each transaction
    /// says that for itself (``StoreLock``).
    private static func withoutWaiting<Value>(
        _ connection: any SQLConnection,
        _ body: () throws(SQLError) -> Value
    ) throws(SQLError) -> Value {
        guard connection.dialect == .sqlite,
            try connection.query("PRAGMA synchronous").first?.integer(0) == full
        else { return try body() }
        try connection.run("PRAGMA synchronous = NORMAL")
        do throws(SQLError) {
            let value = try body()
            try connection.run("PRAGMA synchronous = FULL")
            return value
        } catch {
            try connection.run("PRAGMA synchronous = FULL")
            throw error
        }
    }

    /// The number of FULL in SQLite.
    private static let full: Int64 = 2
}
