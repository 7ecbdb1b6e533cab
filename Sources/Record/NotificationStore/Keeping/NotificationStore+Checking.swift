internal import SQL

extension NotificationStore {
    /// Lets the database look for damage in itself: that all pages can be read, that rows and indexes agree. This reads the
    /// whole file and takes as long as the disk needs for that. On PostgreSQL it reads every row of every table.
    ///
    /// That each row leads to its nested parts, and that each JWS can be rebuilt, is found out with ``jws(_:after:count:)``.
    ///
    /// - Returns: what the database says about damages, at most 100 lines; empty when there are none.
    public func check() throws(NotificationStoreError) -> [String] {
        try perform { connection throws(SQLError) in
            guard case .sqlite(let path) = address else {
                for name in StoreTable.allCases.map(\.name) {
                    _ = try connection.query(
                        "SELECT COUNT(payload), COUNT(raw), COUNT(signature) FROM " + name
                    )
                }
                return []
            }
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
            }
        }
    }

    private static let probeName = "probe"
}
