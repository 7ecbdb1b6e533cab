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
}
