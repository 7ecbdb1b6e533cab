/// How a store is opened.
public struct StoreOptions: Sendable {
    /// What a program does with a store.
    public enum Access: Sendable, Hashable {
        case read
        /// Read and change it.
        case write
        /// The same, and make it when there is none.
        case create
    }

    /// What the program does with the store.
    public var access: Access
    /// How long a statement waits for a lock of another program.
    public var lockMilliseconds: Int32 = 2000
    /// How long a statement that reads may run.
    public var readMilliseconds: Int64 = 10_000
    /// How long a call waits for answers of a server.
    public var answerMilliseconds: Int64 = 10_000
    /// How long a commit whose answer was lost is looked up.
    public var lookUpMilliseconds: Int64 = 3000
    /// True to keep up to 64 MB of a SQLite file in memory, for a program that reads much of it. The 2 MB that SQLite keeps by
    /// itself do not hold the inner pages of a table of a million rows. A recorder needs no more: it writes at the ends.
    public var hasLargeCache = false
    /// Called before a whole store is checked, with the bytes of its file: that may take 25 seconds a gigabyte.
    public var willCheck: (@Sendable (_ byteCount: Int) -> Void)?
    /// The release of the program, which the table `store_migrations` keeps.
    public var program = ""
    /// False only in tests that must fail: SQLite then does not wait for the disk.
    package var waitsForDisk = true
    /// The layer below SQLite; nil for the system's files. Tests have layers that fail.
    package var fileSystem: String?
    /// The versions of the tables. Tests have more.
    package var migrations = StoreMigration.all

    /// Makes options with the defaults above.
    public init(access: Access) {
        self.access = access
    }
}
