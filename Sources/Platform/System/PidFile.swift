internal import CLinux
internal import Glibc

/// The file that names the running supervisor, locked for as long as it lives.
///
/// The lock (flock(2)) belongs to the open file, so it is gone with the process however that ends, and it is kept
/// across exec when the descriptor is. The file appears whole: it is renamed into place with its content.
public struct PidFile: ~Copyable, Sendable {
    /// The locked file; inherit it across exec to stay the one instance.
    public let descriptor: FileDescriptor
    /// Where it is.
    public let path: String

    /// Writes this process's number, unless a living process holds the file.
    ///
    /// - Throws: `system.ebusy` when another one runs, else the errno of the call that failed.
    public init(creating path: String) throws(SystemCallError) {
        let held = try Self.lockExisting(path: path)
        let temporary = "\(path).\(getpid())"
        try Directory.removeFile(path: temporary)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let number = try retrying("open") { unsafe rt_open(temporary, flags, 0o644) }
        let file = FileDescriptor(takingOwnership: number)
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { throw .last("flock") }
        try file.write("\(getpid())\n".utf8Span.span)
        guard unsafe rename(temporary, path) == 0 else { throw .last("rename") }
        try held.close()
        descriptor = file
        self.path = path
    }

    /// Takes over the file that this very process locked before exec.
    public init(adopting descriptor: consuming FileDescriptor, path: String) throws(SystemCallError) {
        try descriptor.setCloseOnExec(true)
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else { throw .last("flock") }
        self.descriptor = descriptor
        self.path = path
    }

    /// Removes the file, if it is still this one.
    public borrowing func remove() throws(SystemCallError) {
        guard let there = try? FileStatus(path: path), let ours = try? FileStatus(of: descriptor),
            there.inode == ours.inode, there.device == ours.device
        else { return }
        try Directory.removeFile(path: path)
    }

    /// The process number in the file at `path`, if a living process holds it; nil when none does.
    public static func holder(path: String) throws(SystemCallError) -> Int32? {
        let file: FileDescriptor
        do throws(SystemCallError) {
            file = try FileDescriptor.openForReading(path: path)
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
        if flock(file.number, LOCK_SH | LOCK_NB) == 0 { return nil }
        let bytes = try file.readAll(limitBytes: 64)
        guard bytes.last == UInt8(ascii: "\n") else { return nil }
        return Int32(String(decoding: bytes.dropLast(), as: UTF8.self))
    }

    /// Locks the file at `path`, made if need be, so that of two that start together one is refused.
    private static func lockExisting(path: String) throws(SystemCallError) -> FileDescriptor {
        var attempts = 20
        while true {
            let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
            let number = try retrying("open") { unsafe rt_open(path, flags, 0o644) }
            let file = FileDescriptor(takingOwnership: number)
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw .last("flock") }
                // Whoever only looks whether it is held has it for a moment.
                attempts -= 1
                guard attempts > 0 else { throw SystemCallError(call: "flock", number: EBUSY) }
                _ = try Readiness.wait(for: [], timeoutMilliseconds: 5)
                continue
            }
            // Whoever had it may have renamed its own over it between our open and our lock.
            let ours = try FileStatus(of: file)
            if let there = try? FileStatus(path: path), there.inode == ours.inode { return file }
        }
    }
}
