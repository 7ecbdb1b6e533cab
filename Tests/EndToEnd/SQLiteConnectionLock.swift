import SQL

/// The lock for writing of a SQLite file, which another program holds for a long time.
final class SQLiteConnectionLock {
    private let connection: SQLiteConnection

    /// Takes the lock.
    init(path: String) throws {
        connection = try SQLiteConnection(path: path, SQLiteOptions(access: .write))
        _ = try connection.query("BEGIN IMMEDIATE")
    }

    /// Gives the lock back.
    func release() throws { _ = try connection.query("ROLLBACK") }
}
