internal import SQL
internal import System

package struct StoreOptions: Sendable {
    package enum Access: Sendable, Hashable {
        case read
        case write
        case create
    }

    package var access: Access
    /// How long a statement waits for a lock of another program.
    package var lockMilliseconds: Int32 = 2000
    package var readMilliseconds: Int64 = 10_000
    package var answerMilliseconds: Int64 = 10_000
    package var lookUpMilliseconds: Int64 = 3000
    /// Keeps up to 64 MB of a SQLite file in memory: the 2 MB of SQLite do not hold the inner pages of a table of a
    /// million rows.
    package var hasLargeCache = false
    package var program = ""
    /// False only in tests that must fail: SQLite then does not wait for the disk.
    package var waitsForDisk = true
    /// The layer below SQLite; nil for the system's files. Tests have layers that fail.
    package var fileSystem: String?
    /// The versions of the tables. Tests have more.
    package var migrations = StoreMigration.all

    package init(access: Access) {
        self.access = access
    }
}

package enum StoreAddress: Sendable, Hashable, CustomStringConvertible {
    case sqlite(path: String)
    case postgreSQL(uri: String)

    /// Reads `sqlite:/absolute/path` or `postgresql://…`.
    package init(_ text: String) throws(NotificationStoreError) {
        let prefix = "sqlite:"
        if text.hasPrefix(prefix) {
            let path = String(text.dropFirst(prefix.count))
            guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else { throw .badAddress }
            self = .sqlite(path: path)
            return
        }
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else { throw .badAddress }
        let address = try SQLError.mapped(
            to: { _ in NotificationStoreError.badAddress }, try PostgreSQLAddress(text))
        guard !address.hasPassword else { throw .passwordInAddress }
        self = .postgreSQL(uri: text)
    }

    /// The path of a file as SQLite opens it: without symbolic links, because SQLite keeps its log beside the file itself.
    static func file(_ path: String) -> String { Directory.resolved(path) }

    package var resolved: StoreAddress {
        switch self {
        case .sqlite(let path): .sqlite(path: Self.file(path))
        case .postgreSQL: self
        }
    }

    /// The file of a SQLite store, and those that SQLite keeps beside it; none for a server.
    package var files: [String] {
        guard case .sqlite(let path) = self else { return [] }
        return ["", "-wal", "-shm", "-journal"].map { Self.file(path) + $0 }
    }

    package var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgreSQL(let uri): uri
        }
    }
}

package struct StoreTiming {
    package var now: () -> Int64
    package var elapsed: () -> Int64
    package var sleep: (Int64) -> Void

    package static var system: StoreTiming {
        StoreTiming(
            now: Clock.wallMilliseconds,
            elapsed: { Int64(Clock.monotonicNanoseconds() / 1_000_000) },
            sleep: { milliseconds in
                // A signal may end the wait early. Nothing here depends on its length.
                _ = try? Readiness.wait(for: [], timeoutMilliseconds: Int32(clamping: milliseconds))
            }
        )
    }
}
