internal import CSQLite
internal import Glibc

/// A connection to a SQLite file.
///
///     let connection = try SQLiteConnection(path: "/var/lib/notifications.db", SQLiteOptions(access: .create))
@safe public final class SQLiteConnection: SQLConnection {
    public let dialect = SQLDialect.sqlite
    /// Always true: the connection is closed with this object.
    public let isOpen = true
    let handle: OpaquePointer
    private let deadline: StatementDeadline
    private let lockWait: SQLiteLockWait
    private let confirmsLog: Bool
    /// False while the log may have frames that are in the system's cache alone.
    private var isLogConfirmed = false
    private var statements: [SQLText: SQLiteStatement] = [:]
    /// The most statements that are kept prepared. A program has fewer texts than that.
    private static let statementCount = 200
    /// True when SQLite does not count its memory. Nobody asks for the count, and counting needs a lock.
    private static let countsNoMemory = rt_sqlite_count_no_memory() == SQLITE_OK

    /// Opens the file, or makes it.
    ///
    /// The file itself is first read by the first statement, so a file that is damaged or no database fails there.
    ///
    /// - Throws: `sql.cannot-open`, `sql.denied`, `sql.out-of-memory`.
    public init(path: String, _ options: SQLiteOptions) throws(SQLError) {
        // A name with a colon would be read as a URI, or as a database in memory.
        let path = path.hasPrefix("/") ? path : "./" + path
        _ = Self.countsNoMemory
        var database: OpaquePointer?
        let result = unsafe sqlite3_open_v2(path, &database, Self.flags(options.access), options.fileSystem)
        guard result == SQLITE_OK, let handle = unsafe database else {
            let message = unsafe database.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? ""
            unsafe sqlite3_close_v2(database)
            throw SQLError(sqlite: result, message: message)
        }
        unsafe self.handle = handle
        confirmsLog = options.confirmsLog
        deadline = StatementDeadline(milliseconds: options.statementMilliseconds)
        lockWait = SQLiteLockWait(milliseconds: options.busyMilliseconds)
        // A hostile file must not run code through its schema, and a text in double quotes is a name, never a value.
        let settings: [(Int32, Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
            (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
        ]
        for (option, value) in settings { unsafe rt_sqlite_db_config(handle, option, value) }
        unsafe deadline.watch(handle)
        unsafe lockWait.watch(handle)
        if confirmsLog { setLogConfirmed(false) }
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs a statement once for each row of values.
    @discardableResult
    public func run(_ text: SQLText, forEach rows: [[SQLValue]]) throws(SQLError) -> [Int] {
        let statement = try prepare(text)
        var counts: [Int] = []
        counts.reserveCapacity(rows.count)
        for values in rows {
            let before = unsafe sqlite3_total_changes64(handle)
            deadline.start()
            try statement.run(values)
            // The total has rows that triggers changed. The other count is an older one after a statement that changes nothing.
            let hasChanged = unsafe sqlite3_total_changes64(handle) > before
            counts.append(hasChanged ? unsafe Int(sqlite3_changes64(handle)) : 0)
        }
        return counts
    }

    /// Runs a statement and returns its rows.
    public func query(_ text: SQLText, _ values: [SQLValue]) throws(SQLError) -> [SQLRow] {
        let statement = try prepare(text)
        var rows: [SQLRow] = []
        deadline.start()
        try statement.run(values) { rows.append(statement.row()) }
        return rows
    }

    /// Runs a statement, and calls `take` with each row.
    public func read(_ text: SQLText, _ values: [SQLValue], take: (SQLCurrentRow) throws(SQLError) -> Void)
        throws(SQLError)
    {
        let statement = try prepare(text)
        let row = SQLCurrentRow(of: statement)
        deadline.start()
        try statement.run(values) { () throws(SQLError) in try take(row) }
    }

    /// Begins a transaction.
    public func begin(isWriting: Bool) throws(SQLError) {
        if isWriting { try confirmLog() }
        try run(isWriting ? "BEGIN IMMEDIATE" : "BEGIN")
    }

    /// The pause between two parts of the log, in which others get the lock.
    private static let logPauseMicroseconds: UInt32 = 10_000

    /// Writes the log again and waits for the disk, unless that was done. The first transaction that writes does this by itself,
    /// in small parts.
    ///
    /// - Parameter partByteCount: how much is written under one lock, for which others wait.
    /// - Throws: the code of the write that failed; `sql.busy` when another connection holds the lock for too long.
    public func confirmLog(partByteCount: Int64 = 1 << 20) throws(SQLError) {
        guard confirmsLog, !isLogConfirmed else { return }
        var place = rt_sqlite_log_place()
        while true {
            try run("BEGIN IMMEDIATE")
            let result = unsafe rt_sqlite_write_log_again(handle, &place, partByteCount)
            rollback()
            guard result == SQLITE_OK else {
                throw SQLError(sqlite: result, message: unsafe String(cString: sqlite3_errstr(result)))
            }
            if place.is_done != 0 { break }
            usleep(Self.logPauseMicroseconds)
        }
        setLogConfirmed(true)
    }

    /// Moves the write-ahead log into the file and empties it.
    ///
    /// - Returns: false when a reader needs the log.
    public func emptyLog() throws(SQLError) -> Bool {
        // The answer has three numbers. The first is 1 when somebody held up the checkpoint.
        try query("PRAGMA wal_checkpoint(TRUNCATE)").first?.integer(0) == 0
    }

    /// Lets the last connection that closes neither move nor delete the log.
    public func keepLogOnClosing() {
        unsafe rt_sqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// Locks the file against every other connection, without reading it, until this connection is closed.
    ///
    /// - Throws: `sql.busy` when another connection uses the file.
    public func lockFile() throws(SQLError) {
        let result = unsafe rt_sqlite_lock_file(handle)
        guard result == SQLITE_OK else {
            throw SQLError(sqlite: result, message: unsafe String(cString: sqlite3_errstr(result)))
        }
    }

    private func setLogConfirmed(_ isConfirmed: Bool) {
        isLogConfirmed = isConfirmed
        unsafe rt_sqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isConfirmed ? 0 : 1)
    }

    /// Ends the transaction; its changes are durable as the setting `synchronous` says.
    public func commit() throws(SQLError) {
        do throws(SQLError) {
            deadline.stop()
            try prepare("COMMIT").run([])
        } catch {
            if confirmsLog { setLogConfirmed(false) }
            rollback()
            throw error
        }
    }

    /// Takes back the transaction.
    public func rollback() {
        // SQLite takes some transactions back by itself.
        guard unsafe sqlite3_get_autocommit(handle) == 0 else { return }
        deadline.stop()
        _ = unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Returns the prepared form of a text, which also checks that everything it names exists.
    ///
    /// - Throws: `sql.schema` when the text names what is not there.
    @discardableResult
    func prepare(_ text: SQLText) throws(SQLError) -> SQLiteStatement {
        lockWait.restart()
        if let statement = statements[text] { return statement }
        if statements.count >= Self.statementCount { statements = [:] }
        let statement = try unsafe SQLiteStatement(text, database: handle)
        statements[text] = statement
        return statement
    }

    /// Checks that the statement could run: everything that it names exists.
    ///
    /// - Throws: `sql.schema`.
    public func check(_ text: SQLText) throws(SQLError) { try prepare(text) }

    private static func flags(_ access: SQLiteOptions.Access) -> Int32 {
        // One thread uses a connection, so SQLite needs no lock for it.
        let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE
        return switch access {
        case .read: common | SQLITE_OPEN_READONLY
        case .write: common | SQLITE_OPEN_READWRITE
        case .create: common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
    }
}
