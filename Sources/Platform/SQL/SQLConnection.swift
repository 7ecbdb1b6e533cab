internal import CPostgreSQL
internal import CSQLite
internal import Glibc

package enum SQLDialect: Sendable, Hashable {
    case sqlite
    case postgreSQL
}

/// A connection to a database. One thread uses it at a time.
///
/// A connection keeps the prepared form of each text, so a text that is used again costs no parsing.
package protocol SQLConnection: AnyObject {
    var dialect: SQLDialect { get }
    var isOpen: Bool { get }

    /// Runs a statement once for each row of values, and stops at the first that fails. PostgreSQL gets all rows without
    /// waiting for answers in between. Returns for each row of values, the number of rows that the statement inserted,
    /// changed or deleted.
    @discardableResult
    func run(_ text: SQLText, forEach rows: [[SQLValue]]) throws(SQLError) -> [Int]

    /// Runs a statement and returns its rows. The statement should have a LIMIT, because all rows are held in memory.
    func query(_ text: SQLText, _ values: [SQLValue]) throws(SQLError) -> [SQLRow]

    /// Runs a statement, and calls `take` with each row while the statement stands on it. The rows are not kept, so this is
    /// the way to read many. Throws ``SQLError``, also that of `take`, which ends the statement.
    func read(_ text: SQLText, _ values: [SQLValue], take: (any SQLColumns) throws(SQLError) -> Void)
        throws(SQLError)

    /// Begins a transaction. With `isWriting`, SQLite takes its lock for writing at once and so cannot fail for it later.
    func begin(isWriting: Bool) throws(SQLError)

    /// Ends the transaction. When this function returns, the changes are durable, unless the connection or the transaction
    /// was told not to wait for the disk. Throws `sql.commit-unsure` when the answer of the server did not come. After any
    /// error the transaction is over.
    func commit() throws(SQLError)

    /// Takes back the transaction. It does nothing when there is none, and it cannot fail: a connection that is lost takes
    /// its transaction with it.
    func rollback()
}

extension SQLConnection {
    /// Runs a statement once. Returns the number of rows that it inserted, changed or deleted.
    @discardableResult
    package func run(_ text: SQLText, _ values: [SQLValue] = []) throws(SQLError) -> Int {
        try run(text, forEach: [values]).first ?? 0
    }

    package func query(_ text: SQLText) throws(SQLError) -> [SQLRow] { try query(text, []) }

    /// Runs `body` in a transaction. When `body` throws, the transaction is taken back.
    @discardableResult
    package func transaction<Value>(isWriting: Bool = true, _ body: () throws(SQLError) -> Value)
        throws(SQLError) -> Value
    {
        try begin(isWriting: isWriting)
        do throws(SQLError) {
            let value = try body()
            try commit()
            return value
        } catch {
            rollback()
            throw error
        }
    }
}

package enum SQLLibraries {
    package static var sqliteVersion: String { unsafe String(cString: sqlite3_libversion()) }

    package static var postgreSQLVersion: String {
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }
}

enum MonotonicTime {
    static func nanoseconds() -> UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}
