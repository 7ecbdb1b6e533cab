internal import CLinux
internal import Glibc

/// A file that exists to be locked (flock(2)), so that only one of several processes goes on. Only its owner and root
/// can open it, so no other reader can hold the lock.
///
/// The lock belongs to the open file. The kernel frees it when the process ends, in whatever way.
public struct FileLock: ~Copyable, Sendable {
    public let descriptor: FileDescriptor
    public let path: String

    public init(path: String) throws(SystemCallError) {
        while true {
            guard let file = try Self.open(path) else { continue }
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw .last("flock") }
                throw .found(.lockHeld)
            }
            // The former holder may have removed the file between our open and our lock; then we try again.
            guard let there = try? FileStatus(path: path), let ours = try? FileStatus(of: file),
                there.identity == ours.identity
            else { continue }
            descriptor = file
            self.path = path
            return
        }
    }

    public borrowing func remove() throws(SystemCallError) {
        guard let there = try? FileStatus(path: path, followingLinks: false),
            let ours = try? FileStatus(of: descriptor), there.identity == ours.identity
        else { return }
        try Directory.removeFile(path: path)
    }

    /// Frees the lock now. Closing the descriptor alone frees it later: a child process that was started at this moment has
    /// a copy of the descriptor until it calls exec.
    public borrowing func unlock() {
        _ = flock(descriptor.number, LOCK_UN)
    }

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

/// A lock on a file that is free again when this object is gone, also when an error ends its use, and also while a child process
/// that was just started still has a copy of the descriptor.
public final class HeldLock: Sendable {
    public let file: FileLock

    public init(_ file: consuming FileLock) {
        self.file = file
    }

    deinit { file.unlock() }
}
