internal import SQL
internal import System
internal import Vocabulary

extension NotificationStore {
    /// Lets the database look for damage in itself: that all pages can be read, that rows and indexes agree. This reads the
    /// whole file and takes as long as the disk needs for that. On PostgreSQL it reads every row of every table.
    ///
    /// That each row leads to its nested parts, and that each JWS can be rebuilt, is found out with ``jws(_:after:count:)``.
    ///
    /// - Returns: what the database says about damages, at most 100 lines; empty when there are none.
    public func check() throws(NotificationStoreError) -> [String] {
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

    /// Finds out whether the store takes rows: takes the lock for writing and gives it back.
    ///
    /// - Parameter writes: true to write a row too and to delete it again. Only a write shows that a disk has room.
    /// - Throws: the errors of the database.
    public func probe(writes: Bool) throws(NotificationStoreError) {
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
    ///
    /// - Returns: true when there is a store, false when it would be made.
    /// - Throws: the error that the program would meet.
    public static func checkAccess(_ address: StoreAddress) throws(NotificationStoreError) -> Bool {
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
