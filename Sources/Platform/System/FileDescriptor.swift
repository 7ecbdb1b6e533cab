internal import CLinux
internal import Glibc

/// An open descriptor with one owner. It is closed when the owner goes.
///
///     let file = try FileDescriptor.openForReading(path: "/etc/hostname")
///     let bytes = try file.readAll(limitBytes: 4096)
///     try AtomicFile.write(bytes.span, to: "/tmp/hostname")
public struct FileDescriptor: ~Copyable, Sendable {
    /// The descriptor's number, valid while this value lives.
    public let number: Int32

    /// Takes over a descriptor that no other code will close.
    public init(takingOwnership number: Int32) {
        self.number = number
    }

    deinit {
        _ = CLinux.close(number)
    }

    /// Returns the number and leaves the descriptor open. The caller closes it.
    public consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }

    /// Closes the descriptor and reports a failure, for files whose last write must not be lost.
    ///
    /// - Throws: the errno of `close`; the descriptor is closed in either case.
    public consuming func close() throws(SystemCallError) {
        let number = self.number
        discard self
        guard CLinux.close(number) == 0 else { throw .last("close") }
    }

    /// Returns a duplicate of a descriptor with another owner, close-on-exec. Its number is at least 3.
    public static func duplicate(of number: Int32) throws(SystemCallError) -> FileDescriptor {
        let copy = rt_fcntl_int(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .last("fcntl") }
        return FileDescriptor(takingOwnership: copy)
    }

    /// Returns a duplicate of this descriptor, close-on-exec. Its number is at least 3.
    public borrowing func duplicate() throws(SystemCallError) -> FileDescriptor {
        let copy = rt_fcntl_int(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .last("fcntl") }
        return FileDescriptor(takingOwnership: copy)
    }

    /// Switches between blocking and non-blocking input and output (fcntl(2), O_NONBLOCK).
    ///
    /// The flag belongs to the open file, so every duplicate of this descriptor shares it.
    ///
    /// - Throws: the errno of `fcntl`.
    public borrowing func setNonBlocking(_ enabled: Bool) throws(SystemCallError) {
        let flags = rt_fcntl_int(number, F_GETFL, 0)
        guard flags >= 0 else { throw .last("fcntl") }
        let wanted = enabled ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
        guard wanted != flags else { return }
        guard rt_fcntl_int(number, F_SETFL, wanted) == 0 else { throw .last("fcntl") }
    }

    /// Does what ``setCloseOnExec(_:)`` does, for a descriptor with another owner.
    public static func setCloseOnExec(of number: Int32, _ enabled: Bool) throws(SystemCallError) {
        guard rt_fcntl_int(number, F_SETFD, enabled ? FD_CLOEXEC : 0) == 0 else { throw .last("fcntl") }
    }

    /// Sets whether exec closes this descriptor; with false the new program keeps it open (fcntl(2), FD_CLOEXEC).
    ///
    /// - Throws: the errno of `fcntl`.
    public borrowing func setCloseOnExec(_ enabled: Bool) throws(SystemCallError) {
        guard rt_fcntl_int(number, F_SETFD, enabled ? FD_CLOEXEC : 0) == 0 else { throw .last("fcntl") }
    }

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

    /// Counts the bytes of the file that are not in holes, and stops once the count reaches `limit`.
    ///
    /// It asks the file system where the holes are (lseek(2)) and not how many blocks the file has. The number of
    /// blocks says little on a file system that compresses or stores small files with their metadata, and for a file
    /// that was pushed a moment ago and is not written to disk yet. A file system without support for holes reports
    /// everything as data. The file position is 0 afterwards.
    ///
    /// - Returns: the count; it may be more than `limit`.
    public borrowing func dataByteCount(upTo limit: Int) throws(SystemCallError) -> Int {
        var (count, end) = (0, off_t(0))
        while count < limit {
            let start = lseek(number, end, Self.seekData)
            // ENXIO: from `end` on there is only a hole, or the file ends.
            if start < 0, errno == ENXIO { break }
            guard start >= 0 else { return try all(limit) }
            end = lseek(number, start, Self.seekHole)
            guard end > start else { return try all(limit) }
            count += Int(end - start)
        }
        try rewind()
        return count
    }

    /// Returns `limit`: without an answer from the file system, all bytes count as data.
    private borrowing func all(_ limit: Int) throws(SystemCallError) -> Int {
        try rewind()
        return limit
    }

    // The system's headers show SEEK_DATA and SEEK_HOLE only with _GNU_SOURCE.
    private static var seekData: Int32 { 3 }
    private static var seekHole: Int32 { 4 }
}
