internal import CPostgreSQL
internal import CSQLite

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
    @discardableResult
    package func run(_ text: SQLText, _ values: [SQLValue] = []) throws(SQLError) -> Int {
        try run(text, forEach: [values]).first ?? 0
    }

    package func query(_ text: SQLText) throws(SQLError) -> [SQLRow] { try query(text, []) }

    package func number(_ text: SQLText, _ values: [SQLValue] = []) throws(SQLError) -> Int64 {
        guard let row = try query(text, values).first else { throw SQLError(.wrongType, detail: "no row") }
        return try row.integer(0)
    }

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

/// The values of one row by the places of its columns, from 0. Each throws `sql.wrong-type` for a value of another type.
package struct SQLRow: Sendable, Hashable {
    package let values: [SQLValue]

    package init(_ values: [SQLValue]) {
        self.values = values
    }

    package func optionalInteger(_ column: Int) throws(SQLError) -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    package func optionalText(_ column: Int) throws(SQLError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    package func optionalBytes(_ column: Int) throws(SQLError) -> [UInt8]? {
        isNull(column) ? nil : try bytes(column)
    }

    package func integer(_ column: Int) throws(SQLError) -> Int64 {
        guard case .integer(let number)? = value(column) else { throw Self.wrongType(column) }
        return number
    }

    package func text(_ column: Int) throws(SQLError) -> String {
        guard case .text(let text)? = value(column) else { throw Self.wrongType(column) }
        return text
    }

    package func bytes(_ column: Int) throws(SQLError) -> [UInt8] {
        guard case .bytes(let bytes)? = value(column) else { throw Self.wrongType(column) }
        return bytes
    }

    private func value(_ column: Int) -> SQLValue? {
        values.indices.contains(column) ? values[column] : nil
    }

    private func isNull(_ column: Int) -> Bool {
        if case .null? = value(column) { true } else { false }
    }

    private static func wrongType(_ column: Int) -> SQLError {
        SQLError(.wrongType, detail: "column \(column + 1)")
    }
}

package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case bytes([UInt8])

    package init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }
    package init(_ number: Int64?) { self = number.map(SQLValue.integer) ?? .null }
}
