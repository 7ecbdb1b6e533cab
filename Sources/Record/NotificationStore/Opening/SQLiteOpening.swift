internal import SQL
internal import System

struct SQLiteOpening {
    /// The number in the header of the file that says whose it is: the letters RtNS.
    static let applicationID: Int64 = 0x5274_4E53
    private static let setApplicationID: SQLText = "PRAGMA application_id = 1383353939"

    let path: String
    let options: StoreOptions
    let now: Int64
    var isMigrating = false

    init(path: String, options: StoreOptions, now: Int64) {
        self.path = StoreAddress.file(path)
        self.options = options
        self.now = now
    }

    struct Opened {
        let connection: SQLiteConnection
        let files: [OpenFile]
    }

    func open() throws(NotificationStoreError) -> Opened {
        let isNew = try makeFile()
        let identity = try identity()
        if options.access != .read { try refuseForeignLog() }
        var settings = SQLiteOptions(access: options.access == .read ? .read : .write)
        settings.busyMilliseconds = options.lockMilliseconds
        settings.statementMilliseconds = options.readMilliseconds
        settings.fileSystem = options.fileSystem
        // A program that was killed, or whose disk failed, leaves rows that are in the system's cache alone. They look like
        // stored rows, so a retry of Apple would be answered as if they were durable.
        settings.confirmsLog = options.access != .read && options.waitsForDisk
        let connection = try database { () throws(SQLError) in try SQLiteConnection(path: path, settings) }
        let version = try self.version(connection)
        guard version != 0 || options.access == .create else { throw isNew ? .missing : .foreign }
        if version != 0 { try StoreVersion.check(version, options, connection, isMigrating: isMigrating) }
        try setUp(connection)
        if version == 0 { try make(connection) }
        if !isMigrating { try StoreVersion.checkTables(connection) }
        let files = OpenFile.all(path)
        // A restore may have put another file there meanwhile.
        guard files.first?.identity == identity else { throw .replaced }
        return Opened(connection: connection, files: files)
    }

    private func identity() throws(NotificationStoreError) -> FileIdentity {
        try SystemCallError.mapped(to: { NotificationStoreError.file($0, path) }, try FileStatus(path: path))
            .identity
    }

    private func makeFile() throws(NotificationStoreError) -> Bool {
        if let status = try status(path) {
            guard status.kind == .regular else { throw .foreign }
            // SQLite takes a file of less than one page, the smallest of which has 512 bytes, for an empty one.
            guard status.byteCount == 0 || status.byteCount >= 512 else { throw .foreign }
            guard status.byteCount == 0 else { return false }
            try refuseStrayLog()
            return true
        }
        let directory = Directory.parent(of: path)
        _ = try SystemCallError.mapped(
            to: { NotificationStoreError.file($0, "the directory " + directory) },
            try FileStatus(path: directory))
        try refuseStrayLog()
        guard options.access == .create else { throw .missing }
        do throws(SystemCallError) {
            try FileDescriptor.create(path: path, permissions: 0o600).close()
        } catch {
            // Another program made the file at the same moment.
            guard error.reason == .eexist else { throw .file(error, path) }
        }
        return true
    }

    /// SQLite deletes the log that lies beside an empty file, and with it what the log could give back.
    private func refuseStrayLog() throws(NotificationStoreError) {
        if let log = try status(path + "-wal"), log.byteCount > 0 { throw .strayLog }
    }

    /// Checks a store whose file was changed after its log was written last. SQLite moves the log of a program that was killed
    /// into whatever file lies beside it, and so destroys a backup that somebody has copied there. A checkpoint that was the last
    /// work before a kill looks the same, and costs the time of the check.
    ///
    /// The kernel's clock of files moves in steps of some milliseconds, so a file changed right after its log may have the same time.
    ///
    /// Nothing is changed: a connection that reads leaves file and log as they are.
    private func refuseForeignLog() throws(NotificationStoreError) {
        guard let log = try status(path + "-wal"), log.byteCount > 0, let file = try status(path),
            file.changedNanoseconds >= log.modifiedNanoseconds
        else { return }
        var reading = SQLiteOptions(access: .read)
        reading.busyMilliseconds = options.lockMilliseconds
        reading.fileSystem = options.fileSystem
        do throws(SQLError) {
            // quick_check does not compare tables with indexes, and so passes a third of such files.
            let checking = try SQLiteConnection(path: path, reading)
            guard try checking.query("PRAGMA integrity_check(1)").first?.text(0) == "ok" else {
                throw SQLError(.corrupt)
            }
        } catch {
            throw error.fault == .corrupt || error.fault == .notADatabase ? .foreignLog : .database(error)
        }
    }

    private func status(_ path: String) throws(NotificationStoreError) -> FileStatus? {
        do throws(SystemCallError) {
            return try FileStatus(path: path)
        } catch {
            guard error.reason == .enoent else { throw .file(error, path) }
            return nil
        }
    }

    private func version(_ connection: SQLiteConnection) throws(NotificationStoreError) -> Int64 {
        let (application, version, tables) = try database { () throws(SQLError) in
            (
                try connection.number("PRAGMA application_id"), try connection.number("PRAGMA user_version"),
                try connection.number("SELECT COUNT(*) FROM sqlite_schema")
            )
        }
        if application == 0, version == 0, tables == 0 { return 0 }
        guard application == Self.applicationID, version > 0 else { throw .foreign }
        return version
    }

    private func setUp(_ connection: SQLiteConnection) throws(NotificationStoreError) {
        if options.hasLargeCache {
            _ = try database { () throws(SQLError) in try connection.query("PRAGMA cache_size = -65536") }
        }
        guard options.access != .read else { return }
        try database { () throws(SQLError) in
            guard try connection.query("PRAGMA journal_mode = WAL").first?.text(0) == "wal" else {
                throw SQLError(.cannotOpen)
            }
            // With FULL, a commit waits until the log is on the disk.
            try connection.run(
                options.waitsForDisk ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF")
            // What refers to a row goes with it.
            try connection.run("PRAGMA foreign_keys = ON")
            // Deleted rows are overwritten in the pages that stay.
            _ = try connection.query("PRAGMA secure_delete = ON")
            // A batch of notifications changes hundreds of pages, most of them pages of an index that later batches change
            // as well. With a longer log, a checkpoint copies such a page once instead of several times.
            _ = try connection.query("PRAGMA wal_autocheckpoint = 4000")
            // After a checkpoint, a log that had grown is cut.
            _ = try connection.query("PRAGMA journal_size_limit = 67108864")
        } mapping: {
            $0.fault == .cannotOpen && $0.detail.isEmpty ? .noWriteAheadLog : .database($0)
        }
    }

    private func make(_ connection: SQLiteConnection) throws(NotificationStoreError) {
        try database { () throws(SQLError) in
            try connection.transaction { () throws(SQLError) in
                guard try connection.number("SELECT COUNT(*) FROM sqlite_schema") == 0 else { return }
                for migration in options.migrations {
                    try migration.apply(on: connection, at: now, program: options.program)
                }
                try connection.run(Self.setApplicationID)
            }
        }
        let parent = Directory.parent(of: path)
        try SystemCallError.mapped(
            to: { NotificationStoreError.file($0, parent) },
            try FileDescriptor.openDirectory(path: parent).synchronize())
    }

    private func database<Value>(
        _ body: () throws(SQLError) -> Value,
        mapping: (SQLError) -> NotificationStoreError = { .database($0) }
    ) throws(NotificationStoreError) -> Value {
        do throws(SQLError) {
            return try body()
        } catch {
            throw mapping(error)
        }
    }
}

/// What is written into a file without its name is lost when the file is closed.
struct OpenFile {
    enum Kind: String, CaseIterable {
        case database = ""
        case log = "-wal"
        /// Where connections find each other's locks, and what is in the log.
        case index = "-shm"
    }

    let kind: Kind
    let path: String
    let identity: FileIdentity

    static func all(_ path: String) -> [OpenFile] {
        Kind.allCases.compactMap { kind in
            let name = path + kind.rawValue
            guard let status = try? FileStatus(path: name) else { return nil }
            return OpenFile(kind: kind, path: name, identity: status.identity)
        }
    }

    var hasLostName: Bool { (try? FileStatus(path: path))?.identity != identity }
}

extension NotificationStore {
    /// A log that nobody can read any more is moved into the database first; as long as that fails, the connection
    /// stays open, because nobody else has the rows.
    func leave(_ connection: SQLiteConnection, _ lost: OpenFile) -> NotificationStoreError {
        // After somebody else has begun another log, the rows of this one are no longer those that the index means.
        let isOnlyLog = (try? FileStatus(path: lost.path))?.byteCount ?? 0 == 0
        if lost.kind == .log, isOnlyLog, options.access != .read {
            do throws(SQLError) {
                guard try connection.emptyLog() else { return .logDeleted }
            } catch {
                return .database(error)
            }
        }
        // Closing would delete whatever has the name of the log now.
        connection.keepLogOnClosing()
        disconnect()
        return lost.kind == .database ? .replaced : .logDeleted
    }
}
