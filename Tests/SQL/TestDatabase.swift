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
    private let folder: TemporaryDirectory?
    private let place: String

    /// Makes the database.
    init(_ system: System) throws {
        switch system {
        case .sqlite:
            let folder = try TemporaryDirectory()
            self.folder = folder
            place = folder.path(of: "test.db")
        case .postgreSQL:
            folder = nil
            place = try PostgreSQLServer.shared().makeDatabase()
        }
    }

    /// Opens one more connection.
    func connect() throws -> any SQLConnection {
        if folder == nil { return try PostgreSQLConnection(address: place) }
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
