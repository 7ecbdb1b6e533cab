import SQL
import Support
import Testing

enum System: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgreSQL

    var testDescription: String { rawValue }
}

struct TestDatabase {
    private let system: System
    private let place: String

    init(_ system: System, in folder: TemporaryDirectory) throws {
        self.system = system
        switch system {
        case .sqlite: place = folder.path(of: "test.db")
        case .postgreSQL: place = try PostgreSQLServer.shared().makeSchema()
        }
    }

    func connect() throws -> any SQLConnection {
        if system == .postgreSQL { return try PostgreSQLConnection(address: place) }
        return try SQLiteConnection(path: place, SQLiteOptions(access: .create))
    }
}

extension SQLConnection {
    func makeSamples() throws {
        let text: SQLText = "CREATE TABLE samples (number BIGINT UNIQUE, ratio REAL8, name TEXT, data BLOB)"
        let isSQLite = dialect == .sqlite
        try run(
            isSQLite
                ? text.replacing("REAL8", with: "REAL")
                : text.replacing("REAL8", with: "FLOAT8").replacing("BLOB", with: "BYTEA")
        )
    }

    func numbers() throws -> [Int64] {
        try query("SELECT number FROM samples ORDER BY number").map { row in try row.integer(0) }
    }
}
