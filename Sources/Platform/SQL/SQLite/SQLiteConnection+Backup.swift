internal import CSQLite

extension SQLiteConnection {
    /// Copies the whole database to another file while others write to this one. The copy shows one moment.
    ///
    /// The connection reads that moment during the whole copy: writers go on, but the WAL of the source grows until the copy
    /// is done.
    ///
    /// - Parameters:
    ///   - destination: a connection to the other file, whose contents are replaced.
    ///   - pageCount: pages in each step.
    ///   - pause: called after each step, with the pages that are left and the pages in all.
    /// - Throws: ``SQLError``. The other file is then no database that can be used.
    public func copy(
        to destination: SQLiteConnection, pageCount: Int32, pause: (_ left: Int, _ all: Int) -> Void
    ) throws(SQLError) {
        try begin(isWriting: false)
        defer { rollback() }
        // The first read fixes the moment. Without it, a change by another connection would start the copy anew.
        _ = try query("SELECT COUNT(*) FROM sqlite_schema")
        guard let backup = unsafe sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            let result = unsafe sqlite3_extended_errcode(destination.handle)
            throw SQLError(
                sqlite: result, message: unsafe String(cString: sqlite3_errmsg(destination.handle)))
        }
        var result = SQLITE_OK
        while result == SQLITE_OK {
            result = unsafe sqlite3_backup_step(backup, pageCount)
            guard result == SQLITE_OK else { break }
            pause(unsafe Int(sqlite3_backup_remaining(backup)), unsafe Int(sqlite3_backup_pagecount(backup)))
        }
        let end = unsafe sqlite3_backup_finish(backup)
        guard result == SQLITE_DONE, end == SQLITE_OK else {
            let failed = result == SQLITE_DONE ? end : result
            throw SQLError(sqlite: failed, message: unsafe String(cString: sqlite3_errstr(failed)))
        }
    }
}
