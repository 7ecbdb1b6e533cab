/// How a SQLite file is opened.
public struct SQLiteOptions: Sendable {
    /// What a connection may do.
    public enum Access: Sendable, Hashable {
        /// Read an existing file.
        case read
        /// Read and change an existing file.
        case write
        /// The same, and make the file when it does not exist.
        case create
    }

    /// What the connection may do.
    public var access: Access
    /// How long a statement waits for another connection's lock.
    public var busyMilliseconds: Int32 = 2000
    /// How long a statement may run; nil for no limit. A commit has no limit, because nothing can interrupt the disk.
    public var statementMilliseconds: Int64?
    /// The name of the layer below SQLite (sqlite.org/vfs.html); nil for the system's files. Tests have layers that fail.
    public var fileSystem: String?

    /// True for a connection that does not rely on the write-ahead log before it has written it anew. Where waiting for the
    /// disk failed once, the system may forget the bytes that it could not write and say later that all are on the disk. So
    /// the first transaction that writes, and the first after an error, writes what the log has again and waits for the disk;
    /// until then, closing the connection does not move the log into the file.
    ///
    /// A program that tells nobody of rows needs this too: with its commits it moves the log into the file, and when the power
    /// fails meanwhile, the file has pages of which the log on the disk knows nothing.
    public var confirmsLog = false

    /// Makes options with the defaults above.
    public init(access: Access) {
        self.access = access
    }
}
