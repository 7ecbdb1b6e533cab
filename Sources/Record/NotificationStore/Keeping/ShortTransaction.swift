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
            // On PostgreSQL, each transaction says for itself whether its commit waits. With NORMAL, the log keeps the order of the
            // commits, and a commit still copies a long log into the file: if it did not, a recorder's next commit would have to.
            let waits = connection.dialect == .sqlite && store.options.waitsForDisk
            if waits { try connection.run("PRAGMA synchronous = NORMAL") }
            // A connection whose other commits would not wait must not be used again.
            defer {
                if waits, (try? connection.run("PRAGMA synchronous = FULL")) == nil { store.disconnect() }
            }
            return try connection.transaction { () throws(SQLError) in
                try StoreLock.shared.take(on: connection, isDurable: false)
                return try body(connection)
            }
        }
    }
}
