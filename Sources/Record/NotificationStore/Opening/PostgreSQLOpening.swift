internal import SQL
internal import System

/// Opens a store on a server: looks at the server's settings and at the tables before anything is changed.
struct PostgreSQLOpening {
    let uri: String
    let options: StoreOptions
    let now: Int64
    /// True for the migration itself, which opens tables of an older version.
    var isMigrating = false

    func open() throws(NotificationStoreError) -> PostgreSQLConnection {
        var settings = PostgreSQLOptions()
        settings.isReadOnly = options.access == .read
        settings.lockMilliseconds = Int64(options.lockMilliseconds)
        settings.statementMilliseconds = options.readMilliseconds
        settings.answerMilliseconds = options.answerMilliseconds
        let connection = try SQLError.mapped(
            to: NotificationStoreError.database, try PostgreSQLConnection(address: uri, settings))
        try checkServer(connection)
        if options.access != .read {
            _ = try SQLError.mapped(
                to: NotificationStoreError.database, try connection.query(StoreLock.functions))
        }
        let version = try SQLError.mapped(to: NotificationStoreError.database, try version(connection))
        guard let version else { throw .foreign }
        if version == 0 {
            guard options.access == .create else { throw .missing }
            try make(connection)
        } else {
            try StoreVersion.check(version, options, connection, isMigrating: isMigrating)
        }
        if !isMigrating { try StoreVersion.checkTables(connection) }
        return connection
    }

    /// Refuses a server that may lose what it confirmed, cannot keep every text, or takes no changes.
    private func checkServer(_ connection: PostgreSQLConnection) throws(NotificationStoreError) {
        // Servers that speak the protocol but lack the setting answer NULL.
        let text: SQLText = """
            SELECT current_setting('fsync', true), current_setting('transaction_read_only', true),
                current_setting('synchronous_commit', true), current_setting('server_encoding', true)
            """
        let settings = try SQLError.mapped(to: NotificationStoreError.database, try connection.query(text))
            .first
        func setting(_ column: Int) -> String? {
            if case .text(let word) = settings?.values[column] { word } else { nil }
        }
        if let encoding = setting(3), encoding != "UTF8" { throw .serverEncoding(encoding) }
        guard options.access != .read else { return }
        guard setting(0) != "off" else { throw .fsyncOff }
        guard setting(1) != "on" else { throw .readOnlyServer }
        // The setting remote_apply waits for more than on does.
        guard setting(2) != "remote_apply" else { return }
        let wait: SQLText = "SELECT set_config('synchronous_commit', 'on', false)"
        _ = try SQLError.mapped(to: NotificationStoreError.database, try connection.query(wait))
    }

    private func version(_ connection: PostgreSQLConnection) throws(SQLError) -> Int64? {
        guard try connection.query("SELECT current_schema()").first?.optionalText(0) != nil else {
            let words = "the search_path names no schema that exists and that the role may use"
            throw SQLError(.schema, detail: words)
        }
        // The information_schema would hide tables for which the role has no right.
        let tables: SQLText = """
            SELECT CAST(c.relname AS TEXT) FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'f')
            """
        let names = Set(try connection.query(tables).map { row throws(SQLError) in try row.text(0) })
        let ours = names.intersection(StoreSchema.tableNames)
        if ours.isEmpty { return 0 }
        guard ours.count == StoreSchema.tableNames.count else { return nil }
        do throws(SQLError) {
            let version = try connection.number("SELECT MAX(version) FROM store_migrations")
            return version > 0 ? version : nil
        } catch {
            guard error.fault == .schema || error.fault == .wrongType else { throw error }
            return nil
        }
    }

    private func make(_ connection: PostgreSQLConnection) throws(NotificationStoreError) {
        do throws(SQLError) {
            try connection.transaction { () throws(SQLError) in
                try StoreLock.exclusive.take(on: connection)
                guard try version(connection) == 0 else { return }
                for migration in options.migrations {
                    try migration.apply(on: connection, at: now, program: options.program)
                }
            }
        } catch {
            throw .database(error)
        }
    }
}

/// The lock of the server under which the contents of a store change. SQLite lets one connection write at a time by itself.
enum StoreLock {
    /// Held by those who add rows. Many may hold it at once.
    case shared
    /// Held by those who change what others must not see half changed: migrations and erasures. Whoever holds it knows that
    /// no row with a smaller number than the greatest is still to come.
    case exclusive

    /// Holds until the end of the transaction. The numbers are the letters RtNS and a hash of the schema's name,
    /// because stores in several schemas have nothing to do with each other.
    func take(on connection: any SQLConnection) throws(SQLError) {
        guard connection.dialect == .postgreSQL else { return }
        let text: SQLText =
            self == .shared
            ? Self.durably + "pg_advisory_xact_lock_shared(1383353939, hashtext(current_schema()))"
            : Self.durably + "pg_advisory_xact_lock(1383353939, hashtext(current_schema()))"
        _ = try connection.query(text)
    }

    /// Lets the commit of the transaction wait as that of a new row does: for the disk, and for a standby where the server has
    /// one. The commit of a transaction that only read waits for nothing, and another one, whose wait was cut off, may have
    /// left the rows that it read on this server alone.
    static func waitForRowsRead(on connection: any SQLConnection) throws(SQLError) {
        guard connection.dialect == .postgreSQL else { return }
        _ = try connection.query("SELECT 1 FROM pg_logical_emit_message(true, 'retention', '')")
    }

    /// Names every function that the lock and the commits need, so that a missing or forbidden one is found at the
    /// opening.
    static let functions: SQLText = """
        EXPLAIN SELECT set_config('synchronous_commit', 'on', true), hashtext(current_schema()),
            pg_advisory_xact_lock_shared(1, 1), pg_advisory_xact_lock(1, 1), pg_logical_emit_message(true, '', '')
        """

    /// The setting remote_apply waits for more than on does, so it stays.
    private static let durably: SQLText = """
        SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
            WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) FROM

        """
}
