package import SQL
internal import System

/// One version of the tables, and the statements that lead to it from the version before.
///
/// A program of the previous release should be able to write the new tables, so a new column has a default or may be NULL. Where it
/// cannot, ``compatibleFrom`` makes it refuse them.
package struct StoreMigration: Sendable {
    package let version: Int64
    package let compatibleFrom: Int64
    package let statements: [SQLText]
    package let mark: SQLText

    package init(version: Int64, compatibleFrom: Int64, statements: [SQLText], mark: SQLText) {
        self.version = version
        self.compatibleFrom = compatibleFrom
        self.statements = statements
        self.mark = mark
    }

    package static let all = [
        StoreMigration(
            version: 1, compatibleFrom: 1, statements: StoreSchema.version1, mark: "PRAGMA user_version = 1"),
        StoreMigration(
            version: 2, compatibleFrom: 2, statements: StoreSchema.version2, mark: "PRAGMA user_version = 2"),
        // Only `report` uses these tables, so programs of version 2 may go on writing.
        StoreMigration(
            version: 3, compatibleFrom: 2, statements: StoreSchema.version3 + StoreTable.additions(in: 3),
            mark: "PRAGMA user_version = 3"),
    ]

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

enum StoreVersion {
    /// Refuses tables of another version, unless a newer program says that this one may write them.
    static func check(
        _ version: Int64, _ options: StoreOptions, _ connection: any SQLConnection, isMigrating: Bool
    ) throws(NotificationStoreError) {
        let known = options.migrations.last?.version ?? 0
        guard version != known else { return }
        guard version > known else {
            if isMigrating { return }
            throw .outdated(version: version)
        }
        let compatibleFrom = try SQLError.mapped(
            to: NotificationStoreError.database,
            try connection.number(
                "SELECT compatible_from FROM store_migrations ORDER BY version DESC LIMIT 1"))
        guard compatibleFrom <= known else { throw .newer(version: version) }
    }

    /// Refuses tables that lack a column, or the unique index by which a second copy of a row is recognized.
    static func checkTables(_ connection: any SQLConnection) throws(NotificationStoreError) {
        do throws(SQLError) {
            for table in StoreTable.allCases {
                let nothing = [SQLValue](repeating: .null, count: table.columns.count)
                // Both systems plan the statement, and do not run it.
                _ = try connection.query("EXPLAIN " + table.insertion, nothing)
            }
        } catch {
            throw error.fault == .schema ? .schemaDiffers(error) : .database(error)
        }
    }
}

extension NotificationStore {
    package static func migrate(
        _ address: StoreAddress, _ options: StoreOptions, timing: StoreTiming = .system
    ) throws(NotificationStoreError) -> (from: Int64, to: Int64) {
        let now = timing.now()
        let connection: any SQLConnection
        switch address {
        case .sqlite(let path):
            var opening = SQLiteOpening(path: path, options: options, now: now)
            opening.isMigrating = true
            connection = try opening.open().connection
        case .postgreSQL(let uri):
            var opening = PostgreSQLOpening(uri: uri, options: options, now: now)
            opening.isMigrating = true
            connection = try opening.open()
        }
        let versions: (from: Int64, to: Int64)
        do throws(SQLError) {
            versions = try connection.transaction { () throws(SQLError) in
                try StoreLock.exclusive.take(on: connection)
                let from = try connection.number("SELECT MAX(version) FROM store_migrations")
                for migration in options.migrations where migration.version > from {
                    try migration.apply(on: connection, at: now, program: options.program)
                }
                return (from, try connection.number("SELECT MAX(version) FROM store_migrations"))
            }
        } catch {
            throw .database(error)
        }
        try StoreVersion.checkTables(connection)
        return versions
    }
}
