internal import CLinux
internal import Glibc

/// The file that names the running supervisor. Everybody may read it. A separate lock file, `PATH.lock`, keeps a second
/// supervisor from starting; no reader of the pid file can take that lock (see ``FileLock``).
public struct PidFile: ~Copyable, Sendable {
    public let path: String
    private let lock: FileLock

    public static func lockPath(of path: String) -> String { "\(path).lock" }

    public struct Contents: Sendable, Hashable {
        public let processID: Int32
        public let ownerID: UInt32
    }

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

    public borrowing func isOurs() -> Bool {
        guard let contents = try? Self.read(path: path) else { return false }
        return contents.processID == getpid()
    }

    public borrowing func remove() throws(SystemCallError) {
        if isOurs() { try Directory.removeFile(path: path) }
        try lock.remove()
    }

    /// Reads the pid file at `path`; nil when it does not exist. This does not tell whether the process runs, or what it is:
    /// see ``ProcessHandle``. Throws `pid-file.invalid` when the file is not one process number.
    public static func read(path: String) throws(SystemCallError) -> Contents? {
        let bytes: [UInt8]
        let status: FileStatus
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: path)
            status = try FileStatus(of: file)
            bytes = status.kind == .regular ? try file.readAll(limitBytes: 64) : []
        } catch {
            if error.reason == .enoent { return nil }
            // For a unix socket, open(2) fails with ENXIO.
            if error.isFileTooLarge || error.reason == .enxio { throw .found(.notProcessNumber) }
            throw error
        }
        let digits = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int32(String(decoding: digits, as: UTF8.self)), number > 0
        else { throw .found(.notProcessNumber) }
        return Contents(processID: number, ownerID: status.userID)
    }

    private static func write(to path: String) throws(SystemCallError) {
        let temporary = "\(path).\(getpid())"
        try Directory.removeFile(path: temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let number = try retrying("open") { unsafe rt_open(temporary, flags, 0o644) }
        let file = FileDescriptor(takingOwnership: number)
        do throws(SystemCallError) {
            // Programs that rotate logs read the file, so everybody may, whatever the umask is.
            guard fchmod(file.number, 0o644) == 0 else { throw .last("fchmod") }
            try file.write("\(getpid())\n".utf8Span.span)
            try Directory.rename(temporary, to: path)
        } catch {
            try? Directory.removeFile(path: temporary)
            throw error
        }
    }
}
