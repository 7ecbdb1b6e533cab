internal import SQL
internal import System
internal import Vocabulary

/// What a restore did.
public struct StoreRestoration: Sendable, Hashable {
    /// The bytes of the file that is the store now.
    public let byteCount: Int
    /// The paths of the old files.
    public let aside: [String]
}

extension NotificationStore {
    /// Puts a backup in the place of a store: copies it beside the store, checks the copy, and renames the old files and then
    /// the copy. The log of the old file goes with it, so that SQLite does not move it into the new one.
    ///
    /// - Parameters:
    ///   - address: the place of the store.
    ///   - backup: a copy that ``backup(to:progress:)`` has made, or the file of a store that nobody uses, with its log beside it.
    ///   - options: say which versions of the tables this program knows.
    ///   - timing: the clocks, for the names of the old files.
    /// - Returns: the size of the store, and where the old files are.
    /// - Throws: `store.only-sqlite`; `store.in-use` while another program has the store open; `store.foreign`, `store.newer` and
    ///   the codes of ``SQLError`` about the backup; `store.file`.
    public static func restore(
        _ address: StoreAddress, from backup: String, _ options: StoreOptions, timing: StoreTiming = .system
    ) throws(NotificationStoreError) -> StoreRestoration {
        guard case .sqlite(let name) = address else { throw .onlySQLite }
        guard (try? FileStatus(path: backup)) != nil else { throw .missing }
        let path = StoreAddress.file(name)
        let copy = path + ".restoring"
        // Held until the end, so that nobody opens the old file under its old name.
        let old = try lock(path)
        defer { withExtendedLifetime(old) {} }
        defer { for kind in OpenFile.Kind.allCases { try? Directory.removeFile(path: copy + kind.rawValue) } }
        for kind in OpenFile.Kind.allCases {
            try file { () throws(SystemCallError) in
                try Directory.removeFile(path: copy + kind.rawValue)
            }
        }
        for suffix in ["", "-wal"] where suffix.isEmpty || (try? FileStatus(path: backup + suffix)) != nil {
            try file { () throws(SystemCallError) in try Self.copy(backup + suffix, to: copy + suffix) }
        }
        try check(copy, options, now: timing.now())
        let base = "\(path).\(CivilTime(milliseconds: timing.now()).generalizedTime)"
        // Of a restore in the same second.
        guard (try? FileStatus(path: base)) == nil else { throw .exists }
        var aside: [String] = []
        try file { () throws(SystemCallError) in
            let owner = try FileStatus(path: old == nil ? Directory.parent(of: path) : path)
            if Credentials.isPrivileged {
                try Directory.give(path: copy, toUser: owner.userID, group: owner.groupID)
            }
            // The file first: a log without its file is refused, while a file without its log looks whole.
            for kind in OpenFile.Kind.allCases where (try? FileStatus(path: path + kind.rawValue)) != nil {
                aside.append(base + kind.rawValue)
                try Directory.rename(path + kind.rawValue, to: aside[aside.count - 1])
            }
            try Directory.rename(copy, to: path)
            try FileDescriptor.openDirectory(path: Directory.parent(of: path)).synchronize()
        }
        let byteCount = try file { () throws(SystemCallError) in try FileStatus(path: path).byteCount }
        return StoreRestoration(byteCount: byteCount, aside: aside)
    }

    private static func copy(_ path: String, to copy: String) throws(SystemCallError) {
        let source = try FileDescriptor.openForReading(path: path)
        let target = try FileDescriptor.create(path: copy, permissions: 0o600)
        try target.write(copying: source, byteCount: FileStatus(of: source).byteCount)
        try target.synchronize()
    }

    /// Refuses a file that is no sound store, and moves its log into it.
    private static func check(_ path: String, _ options: StoreOptions, now: Int64)
        throws(NotificationStoreError)
    {
        var opening = SQLiteOpening(path: path, options: options, now: now)
        // Tables of an older version are migrated later.
        opening.isMigrating = true
        _ = try opening.open()
        do throws(SQLError) {
            let connection = try SQLiteConnection(path: path, SQLiteOptions(access: .write))
            guard try connection.query("PRAGMA integrity_check(1)").first?.text(0) == "ok" else {
                throw SQLError(.corrupt, detail: "the backup")
            }
            _ = try connection.emptyLog()
        } catch {
            throw .database(error)
        }
        try file { () throws(SystemCallError) in try FileDescriptor.openForReading(path: path).synchronize() }
    }

    /// Locks the file of the store; nil when there is none.
    private static func lock(_ path: String) throws(NotificationStoreError) -> SQLiteConnection? {
        guard (try? FileStatus(path: path)) != nil else { return nil }
        do throws(SQLError) {
            let connection = try SQLiteConnection(path: path, SQLiteOptions(access: .write))
            try connection.lockFile()
            return connection
        } catch {
            throw error.fault == .busy ? .inUse : .database(error)
        }
    }

    private static func file<Value>(
        _ body: () throws(SystemCallError) -> Value
    ) throws(NotificationStoreError) -> Value {
        do throws(SystemCallError) {
            return try body()
        } catch {
            throw .file(code: error.code, text: error.description)
        }
    }
}
