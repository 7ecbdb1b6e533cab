internal import CLinux
internal import Glibc

/// A file that is there to be locked (flock(2)), so that of several processes one goes on. Nobody but its owner and root
/// can open it, so no reader can take the lock away from who needs it.
///
/// The lock belongs to the open file: it is gone with the process however that ends, and it is kept across exec when the
/// descriptor is.
public struct FileLock: ~Copyable, Sendable {
    /// The locked file; inherit it across exec to keep the lock.
    public let descriptor: FileDescriptor
    /// Where it is.
    public let path: String

    /// Takes the lock, and makes the file where there is none, with mode 0600.
    ///
    /// - Throws: `system.ebusy` when another process has the lock, `system.einval` when something else than a file
    ///   stands there, else the errno of the call that failed.
    public init(path: String) throws(SystemCallError) {
        while true {
            guard let file = try Self.open(path) else { continue }
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw .last("flock") }
                throw SystemCallError(call: "flock", .ebusy)
            }
            // Whoever had it may have removed it between our open and our lock.
            guard let there = try? FileStatus(path: path), let ours = try? FileStatus(of: file),
                there.inode == ours.inode, there.device == ours.device
            else { continue }
            descriptor = file
            self.path = path
            return
        }
    }

    /// Keeps the lock that this very process took before exec.
    ///
    /// - Throws: `system.ebusy` when the descriptor is not that of the lock, else the errno of the call that failed.
    public init(adopting descriptor: consuming FileDescriptor, path: String) throws(SystemCallError) {
        try descriptor.setCloseOnExec(true)
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? SystemCallError(call: "flock", .ebusy) : .last("flock")
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Removes the file, if it is still this one. The lock itself goes with the descriptor.
    public borrowing func remove() throws(SystemCallError) {
        guard let there = try? FileStatus(path: path, followingLinks: false),
            let ours = try? FileStatus(of: descriptor), there.inode == ours.inode,
            there.device == ours.device
        else { return }
        try Directory.removeFile(path: path)
    }

    /// Gives the locked descriptor up without closing it; the lock lasts as long as that is open.
    public consuming func releaseDescriptor() -> Int32 { descriptor.release() }

    /// Opens or makes the file; nil when somebody else made or removed it in the same moment.
    private static func open(_ path: String) throws(SystemCallError) -> FileDescriptor? {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        do throws(SystemCallError) {
            let number = try retrying("open") { unsafe rt_open(path, flags | O_CREAT | O_EXCL, 0o600) }
            return FileDescriptor(takingOwnership: number)
        } catch {
            guard error.reason == .eexist else { throw error }
        }
        do throws(SystemCallError) {
            let number = try retrying("open") { unsafe rt_open(path, flags, 0) }
            let found = FileDescriptor(takingOwnership: number)
            guard try FileStatus(of: found).kind == .regular else {
                throw SystemCallError(call: "open", .einval)
            }
            return found
        } catch {
            if error.reason == .enoent { return nil }
            throw error
        }
    }
}
