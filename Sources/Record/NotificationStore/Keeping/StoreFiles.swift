internal import SQL
internal import System

extension NotificationStore {
    /// Copies the store to a new file while others write. The copy shows one moment, and appears under its name only when it
    /// is complete and durable.
    ///
    /// Copying the files of an open SQLite database with cp(1) makes no such copy. While this function works, others can write,
    /// but the write-ahead log grows.
    package func backup(
        to path: String,
        progress: (_ doneCount: Int, _ allCount: Int) -> Void = { _, _ in }
    ) throws(NotificationStoreError) {
        guard case .sqlite(let source) = address else { throw .onlySQLite }
        let temporary = "\(path).partial"
        guard (try? FileStatus(path: path, followingLinks: false)) == nil else { throw .exists }
        do throws(SystemCallError) {
            // A copy that was interrupted is worth nothing.
            try Directory.removeFile(path: temporary)
            try FileDescriptor.create(path: temporary, permissions: 0o600).close()
        } catch {
            throw .file(error)
        }
        do throws(NotificationStoreError) {
            try copy(from: source, to: temporary, progress)
            try finish(temporary, as: path)
        } catch {
            try? Directory.removeFile(path: temporary)
            throw error
        }
    }

    private func copy(from source: String, to path: String, _ progress: (Int, Int) -> Void)
        throws(NotificationStoreError)
    {
        try perform { _ throws(SQLError) in
            // Connections of their own: a copy has no time limit, and the copy's file is no place for a log.
            let from = try SQLiteConnection(path: source, ownOptions(.read))
            let to = try SQLiteConnection(path: path, SQLiteOptions(access: .write))
            try from.copy(to: to, pageCount: 64) { left, all in
                progress(all - left, all)
                timing.sleep(1)
            }
            guard try to.query("PRAGMA quick_check(1)").first?.text(0) == "ok" else {
                throw SQLError(.corrupt, detail: "the copy")
            }
        }
    }

    private func finish(_ temporary: String, as path: String) throws(NotificationStoreError) {
        do throws(SystemCallError) {
            try FileDescriptor.openForReading(path: temporary).synchronize()
            try Directory.rename(temporary, to: path)
            try FileDescriptor.openDirectory(path: Directory.parent(of: path)).synchronize()
        } catch {
            throw .file(error)
        }
    }

    /// So that nothing of what was erased stays in the file. Waits for programs that read, for a minute at most.
    package func compact() throws(NotificationStoreError) {
        guard case .sqlite(let path) = address else { throw .onlySQLite }
        try perform { _ throws(SQLError) in
            var writing = ownOptions(.write)
            writing.busyMilliseconds = 60_000
            writing.confirmsLog = options.waitsForDisk
            let connection = try SQLiteConnection(path: path, writing)
            // VACUUM is its own transaction, so another one makes sure of the log before it.
            try connection.transaction { () throws(SQLError) in }
            try connection.run("VACUUM")
            guard try connection.emptyLog() else {
                throw SQLError(.busy, detail: "the log is being read")
            }
        }
    }
}

package struct StoreRestoration: Sendable, Hashable {
    package let byteCount: Int
    package let aside: [String]
}

extension NotificationStore {
    /// Copies the file beside the store, checks the copy, and renames. The log of the old file goes with it, so that
    /// SQLite does not move it into the new one.
    package static func restore(
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
            throw .file(error)
        }
    }
}
