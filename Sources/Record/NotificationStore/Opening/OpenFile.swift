internal import SQL
internal import System

/// A file that SQLite has open, and the name that it must keep: what is written into a file without its name is lost when the
/// file is closed.
struct OpenFile {
    /// The kinds of files of a store.
    enum Kind: String, CaseIterable {
        case database = ""
        case log = "-wal"
        /// Where connections find each other's locks, and what is in the log.
        case index = "-shm"
    }

    let kind: Kind
    let path: String
    let identity: FileIdentity

    /// The files that are there for the database at `path`.
    static func all(_ path: String) -> [OpenFile] {
        Kind.allCases.compactMap { kind in
            let name = path + kind.rawValue
            guard let status = try? FileStatus(path: name) else { return nil }
            return OpenFile(kind: kind, path: name, identity: status.identity)
        }
    }

    /// True when the name leads to another file, or to none.
    var hasLostName: Bool { (try? FileStatus(path: path))?.identity != identity }
}

extension NotificationStore {
    /// Leaves a database that was replaced, or whose log or index was deleted or replaced. A log that nobody can read any more
    /// is moved into the database first; as long as that fails, the connection stays open, because nobody else has the rows.
    ///
    /// - Returns: the reason why the connection cannot be used.
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
