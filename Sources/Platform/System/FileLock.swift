internal import CLinux
internal import Glibc

/// A file that exists to be locked (flock(2)), so that only one of several processes goes on. Only its owner and root
/// can open it, so no other reader can hold the lock.
///
/// The lock belongs to the open file. The kernel frees it when the process ends, in whatever way.
public struct FileLock: ~Copyable, Sendable {
    public let descriptor: FileDescriptor
    public let path: String

    /// Takes the lock. Makes the file, with mode 0600, when it does not exist.
    ///
    /// - Throws: `lock.held` when another process has the lock, `file.not-regular` when something other than a regular
    ///   file is at `path`, else the errno of the call that failed.
    public init(path: String) throws(SystemCallError) {
        while true {
            guard let file = try Self.open(path) else { continue }
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw .last("flock") }
                throw .found(.lockHeld)
            }
            // The former holder may have removed the file between our open and our lock; then we try again.
            guard let there = try? FileStatus(path: path), let ours = try? FileStatus(of: file),
                there.inode == ours.inode, there.device == ours.device
            else { continue }
            descriptor = file
            self.path = path
            return
        }
    }

    /// Removes the file if `path` still names the locked file. The lock itself lasts until the descriptor is closed.
    public borrowing func remove() throws(SystemCallError) {
        guard let there = try? FileStatus(path: path, followingLinks: false),
            let ours = try? FileStatus(of: descriptor), there.inode == ours.inode,
            there.device == ours.device
        else { return }
        try Directory.removeFile(path: path)
    }

    /// Frees the lock now. Closing the descriptor alone frees it later: a child process that was started at this moment has
    /// a copy of the descriptor until it calls exec.
    public borrowing func unlock() {
        _ = flock(descriptor.number, LOCK_UN)
    }

    /// Opens the file or makes it. Returns nil when another process made or removed it at the same moment.
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
            let kind = try FileStatus(of: found).kind
            guard kind == .regular else { throw .found(.notRegularFile(path: path, kind: kind)) }
            return found
        } catch {
            if error.reason == .enoent { return nil }
            throw error
        }
    }
}
