import SQL
import Support
import Testing

/// The database systems under test. Each test runs on both.
enum System: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgreSQL

    var testDescription: String { rawValue }
}

/// An empty database of one of the systems, for one test.
struct TestDatabase {
    private let system: System
    private let place: String

    /// Makes the database. SQLite's file is in `folder`, which must live as long as the connections.
    init(_ system: System, in folder: TemporaryDirectory) throws {
        self.system = system
        switch system {
        case .sqlite: place = folder.path(of: "test.db")
        case .postgreSQL: place = try PostgreSQLServer.shared().makeSchema()
        }
    }

    /// Opens one more connection.
    func connect() throws -> any SQLConnection {
        if system == .postgreSQL { return try PostgreSQLConnection(address: place) }
        return try SQLiteConnection(path: place, SQLiteOptions(access: .create))
    }
}

extension SQLConnection {
    /// Makes a table `samples` with columns for all types.
    func makeSamples() throws {
        let text: SQLText = "CREATE TABLE samples (number BIGINT UNIQUE, ratio REAL8, name TEXT, data BLOB)"
        let isSQLite = dialect == .sqlite
        try run(
            isSQLite
                ? text.replacing("REAL8", with: "REAL")
                : text.replacing("REAL8", with: "FLOAT8").replacing("BLOB", with: "BYTEA")
        )
    }

    /// The numbers in the table, ascending.
    func numbers() throws -> [Int64] {
        try query("SELECT number FROM samples ORDER BY number").map { row in try row.integer(0) }
    }
}
