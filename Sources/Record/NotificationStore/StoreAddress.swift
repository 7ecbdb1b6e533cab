internal import SQL
internal import System
internal import Vocabulary

/// The place of a store: a file of SQLite, or a database of a PostgreSQL server.
public enum StoreAddress: Sendable, Hashable, CustomStringConvertible {
    /// A file of SQLite, by its absolute path.
    case sqlite(path: String)
    /// A database of a server. The text is a connection URI of libpq without a password.
    case postgreSQL(uri: String)

    /// Reads `sqlite:/absolute/path` or `postgresql://…`.
    ///
    /// - Throws: `store.bad-address`, `store.password-in-address`. The errors have no part of the text.
    public init(_ text: String) throws(NotificationStoreError) {
        let prefix = "sqlite:"
        if text.hasPrefix(prefix) {
            let path = String(text.dropFirst(prefix.count))
            guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else { throw .badAddress }
            self = .sqlite(path: path)
            return
        }
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else { throw .badAddress }
        let address = try SQLError.mapped(
            to: { _ in NotificationStoreError.badAddress },
            try PostgreSQLAddress(text)
        )
        guard !address.hasPassword else { throw .passwordInAddress }
        self = .postgreSQL(uri: text)
    }

    /// The path of a file as SQLite opens it: without symbolic links, because SQLite keeps its log beside the file itself.
    static func file(_ path: String) -> String { Directory.resolved(path) }

    /// The address of the same store without symbolic links. Files of the same directory, such as the log, have its path.
    public var resolved: StoreAddress {
        switch self {
        case .sqlite(let path): .sqlite(path: Self.file(path))
        case .postgreSQL: self
        }
    }

    /// The file of a SQLite store, and those that SQLite keeps beside it; none for a server.
    public var files: [String] {
        guard case .sqlite(let path) = self else { return [] }
        return ["", "-wal", "-shm", "-journal"].map { Self.file(path) + $0 }
    }

    /// The address as it was written. It has no password.
    public var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgreSQL(let uri): uri
        }
    }
}
