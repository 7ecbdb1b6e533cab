internal import SQL

extension NotificationStore {
    /// Brings the tables of a store to the version of this program, in one transaction. The tables of the present version
    /// are left as they are.
    ///
    /// - Returns: the versions before and after.
    /// - Throws: as the initializer does, but not `store.outdated`.
    public static func migrate(
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
