internal import CSQLite
internal import Glibc
internal import System

/// A connection to a SQLite file.
@safe package final class SQLiteConnection: SQLConnection {
    package let dialect = SQLDialect.sqlite
    /// Always true: the connection is closed with this object.
    package let isOpen = true
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

    package init(path: String, _ options: SQLiteOptions) throws(SQLError) {
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

    @discardableResult
    package func run(_ text: SQLText, forEach rows: [[SQLValue]]) throws(SQLError) -> [Int] {
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

    package func query(_ text: SQLText, _ values: [SQLValue]) throws(SQLError) -> [SQLRow] {
        let statement = try prepare(text)
        var rows: [SQLRow] = []
        deadline.start()
        try statement.run(values) { rows.append(statement.row()) }
        return rows
    }

    package func begin(isWriting: Bool) throws(SQLError) {
        if isWriting { try confirmLog() }
        try run(isWriting ? "BEGIN IMMEDIATE" : "BEGIN")
    }

    /// The pause between two parts of the log, in which others get the lock.
    private static let logPauseMicroseconds: UInt32 = 10_000

    /// Writes the log again and waits for the disk, unless that was done. The first transaction that writes does this by
    /// itself, in small parts. Throws the code of the write that failed; `sql.busy` when another connection holds the lock
    /// for too long.
    package func confirmLog(partByteCount: Int64 = 1 << 20) throws(SQLError) {
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

    /// Moves the write-ahead log into the file and empties it. Returns false when a reader needs the log.
    package func emptyLog() throws(SQLError) -> Bool {
        // The answer has three numbers. The first is 1 when somebody held up the checkpoint.
        try query("PRAGMA wal_checkpoint(TRUNCATE)").first?.integer(0) == 0
    }

    /// Lets the last connection that closes neither move nor delete the log.
    package func keepLogOnClosing() {
        unsafe rt_sqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// Locks the file against every other connection, without reading it, until this connection is closed. Throws `sql.busy`
    /// when another connection uses the file.
    package func lockFile() throws(SQLError) {
        let result = unsafe rt_sqlite_lock_file(handle)
        guard result == SQLITE_OK else {
            throw SQLError(sqlite: result, message: unsafe String(cString: sqlite3_errstr(result)))
        }
    }

    private func setLogConfirmed(_ isConfirmed: Bool) {
        isLogConfirmed = isConfirmed
        unsafe rt_sqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isConfirmed ? 0 : 1)
    }

    package func commit() throws(SQLError) {
        do throws(SQLError) {
            deadline.stop()
            try prepare("COMMIT").run([])
        } catch {
            if confirmsLog { setLogConfirmed(false) }
            rollback()
            throw error
        }
    }

    package func rollback() {
        // SQLite takes some transactions back by itself.
        guard unsafe sqlite3_get_autocommit(handle) == 0 else { return }
        deadline.stop()
        _ = unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    func prepare(_ text: SQLText) throws(SQLError) -> SQLiteStatement {
        lockWait.restart()
        if let statement = statements[text] { return statement }
        if statements.count >= Self.statementCount { statements = [:] }
        let statement = try unsafe SQLiteStatement(text, database: handle)
        statements[text] = statement
        return statement
    }

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

extension SQLiteConnection {
    /// Copies the whole database to another file while others write to this one. The copy shows one moment. The connection
    /// reads that moment during the whole copy: writers go on, but the WAL of the source grows until the copy is done.
    package func copy(
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

package struct SQLiteOptions: Sendable {
    package enum Access: Sendable, Hashable {
        case read
        case write
        case create
    }

    package var access: Access
    package var busyMilliseconds: Int32 = 2000
    /// How long a statement may run; nil for no limit. A commit has no limit, because nothing can interrupt the disk.
    package var statementMilliseconds: Int64?
    /// The name of the layer below SQLite (sqlite.org/vfs.html); nil for the system's files. Tests have layers that fail.
    package var fileSystem: String?

    /// True for a connection that does not rely on the write-ahead log before it has written it anew. Where waiting for the
    /// disk failed once, the system may forget bytes and say later that all are on the disk. So the first transaction that
    /// writes, and the first after an error, writes what the log has again and waits for the disk; until then, closing the
    /// connection does not move the log into the file.
    package var confirmsLog = false

    package init(access: Access) {
        self.access = access
    }
}

/// Waits for a lock that another connection holds. Asks again each millisecond: SQLite's own wait pauses ever longer, up to a
/// tenth of a second, and so misses the moments that a program with many short transactions leaves to others.
@safe final class SQLiteLockWait {
    private let limitNanoseconds: UInt64
    private var end: UInt64?
    private static let pauseMicroseconds: UInt32 = 1000

    init(milliseconds: Int32) {
        limitNanoseconds = UInt64(max(0, milliseconds)) * 1_000_000
    }

    func watch(_ handle: OpaquePointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let ask: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { context, count in
            guard let context = unsafe context else { return 0 }
            let wait = unsafe Unmanaged<SQLiteLockWait>.fromOpaque(context).takeUnretainedValue()
            return wait.pause(after: count) ? 1 : 0
        }
        unsafe sqlite3_busy_handler(handle, ask, context)
    }

    /// Gives the next wait all its time. SQLite itself does not begin to count anew before it prepares a statement.
    func restart() {
        end = nil
    }

    private func pause(after count: Int32) -> Bool {
        let now = Clock.monotonicNanoseconds()
        if count == 0 { end = nil }
        let end = end ?? now + limitNanoseconds
        self.end = end
        guard now < end else { return false }
        usleep(Self.pauseMicroseconds)
        return true
    }
}

/// Ends a statement that runs too long. SQLite asks every few thousand steps of its machine.
@safe final class StatementDeadline {
    private let limitNanoseconds: UInt64?
    private var end: UInt64?
    /// How many steps SQLite makes between two questions; about a tenth of a millisecond.
    private static let stepCount: Int32 = 10_000

    init(milliseconds: Int64?) {
        limitNanoseconds = milliseconds.map { UInt64(max(0, $0)) * 1_000_000 }
    }

    func watch(_ handle: OpaquePointer) {
        guard limitNanoseconds != nil else { return }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let ask: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
            guard let context = unsafe context else { return 0 }
            let deadline = unsafe Unmanaged<StatementDeadline>.fromOpaque(context).takeUnretainedValue()
            return deadline.isOver ? 1 : 0
        }
        unsafe sqlite3_progress_handler(handle, Self.stepCount, ask, context)
    }

    func start() {
        end = limitNanoseconds.map { Clock.monotonicNanoseconds() + $0 }
    }

    func stop() {
        end = nil
    }

    private var isOver: Bool { end.map { Clock.monotonicNanoseconds() > $0 } ?? false }
}
