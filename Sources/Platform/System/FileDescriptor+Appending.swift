internal import CLinux
internal import Glibc

extension FileDescriptor {
    /// Opens a file for reading and for writes that go to its end, close-on-exec. Makes the file, for its owner alone, when
    /// it does not exist. Never follows a symbolic link and never waits for the other end of a FIFO; the caller checks which
    /// kind of file it got.
    public static func openForAppending(path: String) throws(SystemCallError) -> FileDescriptor {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let number = try retrying("open") { unsafe rt_open(path, flags, 0o600) }
        return FileDescriptor(takingOwnership: number)
    }

    /// Cuts the file after its first `byteCount` bytes.
    public borrowing func truncate(toByteCount byteCount: Int) throws(SystemCallError) {
        let number = self.number
        try retrying("ftruncate") { ftruncate(number, off_t(byteCount)) }
    }

    /// Returns when the disk has what was written to the file. For a directory: when the disk has its entries.
    public borrowing func synchronize() throws(SystemCallError) {
        let number = self.number
        try retrying("fsync") { fsync(number) }
    }
}
