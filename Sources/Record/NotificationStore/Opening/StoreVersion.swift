internal import SQL
internal import Vocabulary

/// Decides whether this program may use the tables that a store has.
enum StoreVersion {
    /// Refuses tables of another version, unless a newer program says that this one may write them.
    ///
    /// - Parameters:
    ///   - version: the version of the tables.
    ///   - options: have the versions that this program knows.
    ///   - connection: reads what a newer program says.
    ///   - isMigrating: true when tables of an older version are about to be changed.
    /// - Throws: `store.outdated`, `store.newer`.
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
                "SELECT compatible_from FROM store_migrations ORDER BY version DESC LIMIT 1"
            )
        )
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
