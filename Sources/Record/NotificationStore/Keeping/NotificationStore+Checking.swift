internal import SQL
internal import System

extension NotificationStore {
    /// Lets the database look for damage in itself: that all pages can be read, that rows and indexes agree. This reads the
    /// whole file and takes as long as the disk needs for that. On PostgreSQL it reads every row of every table.
    ///
    /// That each row leads to its nested parts, and that each JWS can be rebuilt, is found out with ``jws(_:after:count:)``.
    package func check() throws(NotificationStoreError) -> [String] {
        guard case .sqlite(let path) = address else { return try checkServer() }
        return try perform { _ throws(SQLError) in
            // A connection of its own, because this takes longer than any other read may.
            var reading = SQLiteOptions(access: .read)
            reading.busyMilliseconds = options.lockMilliseconds
            reading.fileSystem = options.fileSystem
            let checking = try SQLiteConnection(path: path, reading)
            var lines: [String] = []
            for row in try checking.query("PRAGMA integrity_check(100)") { lines.append(try row.text(0)) }
            return lines == ["ok"] ? [] : lines
        }
    }

    /// Reads every signed payload and every header, page by page. The server gives long values only to those who read them.
    private func checkServer() throws(NotificationStoreError) -> [String] {
        var damages: [String] = []
        let parts = StoreTable.allCases.map { ($0.name, "payload, raw, signature" as SQLText) }
        for (table, columns) in parts + [("headers", "digest, header")] {
            let page: SQLText =
                "SELECT id, " + columns + " FROM " + table + " WHERE id > ? ORDER BY id LIMIT ?"
            var after: Int64? = 0
            while let place = after {
                do throws(NotificationStoreError) {
                    after = try perform { connection throws(SQLError) in
                        let rows = try connection.query(page, [.integer(place), .integer(Self.checkCount)])
                        return try rows.last?.integer(0)
                    }
                } catch {
                    guard case .database(let damage) = error, damage.fault == .corrupt else { throw error }
                    damages.append("\(table) behind the id \(place): \(damage)")
                    after = nil
                }
            }
        }
        return damages
    }

    private static let checkCount: Int64 = 64

    /// Finds out whether the store takes rows: takes the lock for writing and gives it back. With `writes`, a row is
    /// written too and deleted again: only a write shows that a disk has room.
    package func probe(writes: Bool) throws(NotificationStoreError) {
        if writes {
            try setCursor(StoreCursor(position: timing.now()), named: Self.probeName)
            try removeCursor(named: Self.probeName)
        } else {
            try change(.shared) { connection throws(SQLError) in
                _ = try connection.number("SELECT COALESCE(MAX(version), 0) FROM store_migrations")
                guard connection.dialect == .postgreSQL else { return }
                let setting = try connection.query("SELECT current_setting('transaction_read_only')").first
                guard try setting?.text(0) != "on" else { throw SQLError(.readOnly) }
            }
        }
    }

    private static let probeName = "probe"

    /// Finds out whether a program that makes a missing store could store rows. Makes nothing.
    package static func checkAccess(_ address: StoreAddress) throws(NotificationStoreError) -> Bool {
        do throws(NotificationStoreError) {
            try NotificationStore(address, StoreOptions(access: .write)).probe(writes: false)
            return true
        } catch {
            guard case .missing = error else { throw error }
        }
        switch address {
        case .sqlite(let path):
            let file = StoreAddress.file(path)
            try SystemCallError.mapped(
                to: { SQLiteOpening.fileError(Directory.parent(of: file), $0) },
                try Directory.checkEntryCanBeMade(path: file)
            )
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
            try inShortTransactions { (limit, connection) throws(SQLError) in
                let some = old.suffix(limit)
                old.removeLast(some.count)
                try connection.run("DELETE FROM notifications WHERE id = ?", forEach: some.map { [$0] })
                count += some.count
                return some.count
            }
        }
    }
}
