internal import SQL
internal import System

package struct StoreSize: Sendable, Hashable {
    /// The file, or the tables with their indexes on a server.
    package let byteCount: Int64
    /// The write-ahead log of a file; 0 on a server.
    package let logByteCount: Int64
    /// The part of the file that is free and will be used again; 0 on a server.
    package let freeByteCount: Int64
}

extension NotificationStore {
    /// Lets SQLite look for damage in its file: that all pages can be read, that rows and indexes agree. This reads the whole
    /// file and takes as long as the disk needs for that.
    ///
    /// That each row leads to its nested parts, and that each JWS can be rebuilt, is found out with ``jws(_:after:count:)``.
    package func check() throws(NotificationStoreError) -> [String] {
        guard case .sqlite(let path) = address else { throw .onlySQLite }
        return try perform { _ throws(SQLError) in
            // A connection of its own, because this takes longer than any other read may.
            let lines = try SQLiteConnection(path: path, ownOptions(.read)).query(
                "PRAGMA integrity_check(100)"
            )
            .map { row throws(SQLError) in try row.text(0) }
            return lines == ["ok"] ? [] : lines
        }
    }

    /// The options of a connection beside that of the store, whose statements have no limit.
    func ownOptions(_ access: SQLiteOptions.Access) -> SQLiteOptions {
        var own = SQLiteOptions(access: access)
        own.busyMilliseconds = options.lockMilliseconds
        own.fileSystem = options.fileSystem
        return own
    }

    /// A commit moves the log when it has grown to 4,000 pages; a program that calls this when idle answers sooner
    /// then.
    package func checkpoint() throws(NotificationStoreError) {
        guard dialect == .sqlite else { return }
        try perform { connection throws(SQLError) in
            // A transaction makes sure that the disk has the log.
            try connection.transaction { () throws(SQLError) in }
            _ = try (connection as? SQLiteConnection)?.emptyLog()
        }
    }

    /// Does what would hold up the first commit: after a crash during a compaction the log may have gigabytes.
    package func prepare() throws(NotificationStoreError) {
        try perform { connection throws(SQLError) in
            // Larger parts than a tool takes: nobody gets an answer before this is done.
            try (connection as? SQLiteConnection)?.confirmLog(partByteCount: 16 << 20)
        }
        // A disk that is too full for this may still take commits.
        try? checkpoint()
    }

    package func size() throws(NotificationStoreError) -> StoreSize {
        switch address {
        case .sqlite(let path):
            let (page, free) = try perform { connection throws(SQLError) in
                (try connection.number("PRAGMA page_size"), try connection.number("PRAGMA freelist_count"))
            }
            let status = try SystemCallError.mapped(
                to: { NotificationStoreError.file($0) }, try FileStatus(path: path))
            let log = (try? FileStatus(path: StoreAddress.file(path) + "-wal"))?.byteCount ?? 0
            return StoreSize(
                byteCount: Int64(status.byteCount), logByteCount: Int64(log), freeByteCount: page * free)
        case .postgreSQL:
            let count = try perform { connection throws(SQLError) in
                var count: Int64 = 0
                for name in StoreSchema.tables.map(\.name) {
                    count += try connection.number(
                        "SELECT pg_total_relation_size(CAST(CAST(? AS TEXT) AS regclass))", [.text(name)])
                }
                return count
            }
            return StoreSize(byteCount: count, logByteCount: 0, freeByteCount: 0)
        }
    }

    /// Takes the lock for writing. With `writes`, a row is written and deleted again: only a write shows that a disk
    /// has room.
    package func probe(writes: Bool) throws(NotificationStoreError) {
        if writes {
            try setCursor(StoreCursor(position: timing.now()), named: "probe")
            try removeCursor(named: "probe")
        } else {
            try change(.shared) { connection throws(SQLError) in
                _ = try connection.number("SELECT COALESCE(MAX(version), 0) FROM store_migrations")
                guard connection.dialect == .postgreSQL else { return }
                let setting = try connection.query("SELECT current_setting('transaction_read_only')").first
                guard try setting?.text(0) != "on" else { throw SQLError(.readOnly) }
            }
        }
    }

    /// Finds out whether a program that makes a missing store could store rows. Makes nothing.
    package static func checkAccess(_ address: StoreAddress) throws(NotificationStoreError) -> Bool {
        do throws(NotificationStoreError) {
            try NotificationStore(address, StoreOptions(access: .write)).probe(writes: false)
            return true
        } catch {
            guard error == .missing else { throw error }
        }
        switch address {
        case .sqlite(let path):
            let file = StoreAddress.file(path)
            try SystemCallError.mapped(
                to: { NotificationStoreError.file($0, Directory.parent(of: file)) },
                try Directory.checkEntryCanBeMade(path: file))
        case .postgreSQL(let uri):
            let mayMake: SQLText = "SELECT CAST(has_schema_privilege(current_schema(), 'CREATE') AS INTEGER)"
            let right = try SQLError.mapped(
                to: NotificationStoreError.database, try PostgreSQLConnection(address: uri).number(mayMake))
            guard right == 1 else {
                throw .database(SQLError(.denied, detail: "the role must not make tables in the schema"))
            }
        }
        return false
    }
}

extension NotificationStore {
    /// Deletes notifications that came before a time, milliseconds since 1970, in short transactions. Their parts stay,
    /// because the history of a subscriber needs them. So do those of `types` (`A.B` stands for type A with subtype B
    /// alone), those above the number `id`, because other work has not come any further, and with `statuses` those with
    /// another status: nothing else in the store says that the subscription is in a state that the program does not
    /// know.
    package func prune(
        receivedBefore time: Int64, keepingTypes types: Set<String>,
        keepingStatusesBeside statuses: Set<Int64>? = nil, upTo id: Int64 = .max
    ) throws(NotificationStoreError) -> Int {
        var count = 0
        var after: Int64 = 0
        while true {
            let page = try perform { connection throws(SQLError) in
                try connection.query(
                    """
                    SELECT id, type, received_at, subtype, status, unfit FROM notifications WHERE id > ? AND id <= ?
                    AND id NOT IN (SELECT notification_id FROM set_aside) ORDER BY id LIMIT ?
                    """,
                    [.integer(after), .integer(id), .integer(1000)]
                )
            }
            guard let last = page.last else { return count }
            var old: [SQLValue] = []
            do throws(SQLError) {
                after = try last.integer(0)
                for row in page where try row.integer(2) < time {
                    let (type, subtype) = (try row.optionalText(1) ?? "", try row.optionalText(3) ?? "")
                    guard !types.contains(type), !types.contains("\(type).\(subtype)") else { continue }
                    if let statuses {
                        if let status = try row.optionalInteger(4), !statuses.contains(status) { continue }
                        if UnfitColumns.names(try row.optionalText(5)).contains("status") { continue }
                    }
                    old.append(row.values[0])
                }
            } catch {
                throw .database(error)
            }
            try inShortTransactions(old) { (some, connection) throws(SQLError) in
                try connection.run("DELETE FROM notifications WHERE id = ?", forEach: some.map { [$0] })
            }
            count += old.count
        }
    }
}
