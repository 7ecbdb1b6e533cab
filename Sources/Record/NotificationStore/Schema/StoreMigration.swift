package import SQL

/// One version of the tables, and the statements that lead to it from the version before.
///
/// A program of the previous release should be able to write the new tables, so a new column has a default or may be NULL. Where it
/// cannot, ``compatibleFrom`` makes it refuse them.
package struct StoreMigration: Sendable {
    /// The version that the tables have afterwards.
    package let version: Int64
    /// The oldest version whose programs may write the tables.
    package let compatibleFrom: Int64
    /// The statements, in SQLite's words.
    package let statements: [SQLText]
    /// The statement that writes the version into the header of SQLite's file.
    package let mark: SQLText

    package init(version: Int64, compatibleFrom: Int64, statements: [SQLText], mark: SQLText) {
        self.version = version
        self.compatibleFrom = compatibleFrom
        self.statements = statements
        self.mark = mark
    }

    /// All versions, ascending.
    package static let all = [
        StoreMigration(
            version: 1, compatibleFrom: 1, statements: StoreSchema.version1, mark: "PRAGMA user_version = 1"),
        StoreMigration(
            version: 2, compatibleFrom: 2, statements: StoreSchema.version2, mark: "PRAGMA user_version = 2"),
    ]

    /// Makes the change. The caller has a transaction.
    func apply(on connection: any SQLConnection, at time: Int64, program: String) throws(SQLError) {
        for text in statements {
            for statement in StoreSchema.statements(text, connection.dialect) {
                try connection.run(statement)
            }
        }
        if connection.dialect == .sqlite { try connection.run(mark) }
        try connection.run(
            "INSERT INTO store_migrations (version, compatible_from, applied_at, program) VALUES (?, ?, ?, ?)",
            [.integer(version), .integer(compatibleFrom), .integer(time), .text(program)])
    }
}
