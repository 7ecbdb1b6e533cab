internal import CLinux
internal import Glibc

/// The file that names the running supervisor. Everybody may read it; that there is one supervisor alone is held by a
/// lock of its own beside it, `PATH.lock`, which no reader can take (see ``FileLock``).
public struct PidFile: ~Copyable, Sendable {
    /// Where it is.
    public let path: String
    private let lock: FileLock

    /// Where the lock of the pid file at `path` is.
    public static func lockPath(of path: String) -> String { "\(path).lock" }

    /// What is in a pid file, and whose it is.
    public struct Contents: Sendable, Hashable {
        /// The process number; above 0.
        public let processID: Int32
        /// Who wrote the file.
        public let ownerID: UInt32
    }

    /// Writes this process's number, unless another living process holds the lock.
    ///
    /// - Throws: `system.ebusy` when another one runs, else the errno of the call that failed.
    public init(creating path: String) throws(SystemCallError) {
        let lock = try FileLock(path: Self.lockPath(of: path))
        do throws(SystemCallError) {
            try Self.write(to: path)
        } catch {
            try? lock.remove()
            throw error
        }
        self.path = path
        self.lock = lock
    }

    /// Takes over the lock that this very process took before exec; the file stands as it was written.
    public init(adopting descriptor: consuming FileDescriptor, path: String) throws(SystemCallError) {
        lock = try FileLock(adopting: descriptor, path: Self.lockPath(of: path))
        self.path = path
    }

    /// The descriptor of the lock; inherit it across exec to stay the one instance.
    public var lockDescriptorNumber: Int32 { lock.descriptor.number }

    /// Whether the file names this process.
    public borrowing func isOurs() -> Bool {
        guard let contents = try? Self.read(path: path) else { return false }
        return contents.processID == getpid()
    }

    /// Writes the file again, after somebody has removed or changed it.
    public borrowing func rewrite() throws(SystemCallError) { try Self.write(to: path) }

    /// Removes the file, if it still names this process, and its lock.
    public borrowing func remove() throws(SystemCallError) {
        if isOurs() { try Directory.removeFile(path: path) }
        try lock.remove()
    }

    /// What the file at `path` says; nil when there is none. Whether that process runs, and what it is, is another
    /// question: see ``ProcessHandle``.
    ///
    /// - Throws: `system.einval` for what is no file with one process number, else the errno of the call that failed.
    public static func read(path: String) throws(SystemCallError) -> Contents? {
        let bytes: [UInt8]
        let status: FileStatus
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: path)
            status = try FileStatus(of: file)
            bytes = status.kind == .regular ? try file.readAll(limitBytes: 64) : []
        } catch {
            if error.reason == .enoent { return nil }
            if error.reason == .efbig || error.reason == .enxio {
                throw SystemCallError(call: "read", .einval)
            }
            throw error
        }
        let digits = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int32(String(decoding: digits, as: UTF8.self)), number > 0
        else { throw SystemCallError(call: "read", .einval) }
        return Contents(processID: number, ownerID: status.userID)
    }

    /// The file appears whole: it is renamed into place with its content.
    private static func write(to path: String) throws(SystemCallError) {
        let temporary = "\(path).\(getpid())"
        try Directory.removeFile(path: temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let number = try retrying("open") { unsafe rt_open(temporary, flags, 0o644) }
        let file = FileDescriptor(takingOwnership: number)
        do throws(SystemCallError) {
            // Whoever rotates logs reads it, whatever our mask for new files is.
            guard fchmod(file.number, 0o644) == 0 else { throw .last("fchmod") }
            try file.write("\(getpid())\n".utf8Span.span)
            try Directory.rename(temporary, to: path)
        } catch {
            try? Directory.removeFile(path: temporary)
            throw error
        }
    }
}
