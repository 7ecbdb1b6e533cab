internal import CLinux
internal import Glibc

/// An open descriptor with one owner; closed when the owner goes.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The number, valid while this value lives.
    public let number: Int32

    /// Takes over a descriptor that nobody else will close.
    public init(takingOwnership number: Int32) {
        self.number = number
    }

    deinit {
        _ = CLinux.close(number)
    }

    /// Gives the descriptor up without closing it.
    public consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }

    /// Closes and says whether that worked, for files whose last write must not be lost.
    ///
    /// - Throws: the errno of `close`; the descriptor is gone in either case.
    public consuming func close() throws(SystemCallError) {
        let number = self.number
        discard self
        guard CLinux.close(number) == 0 else { throw .last("close") }
    }

    /// A second descriptor for the open file that somebody else owns as `number`, close-on-exec.
    public static func duplicate(of number: Int32) throws(SystemCallError) -> FileDescriptor {
        let copy = rt_fcntl_int(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .last("fcntl") }
        return FileDescriptor(takingOwnership: copy)
    }

    /// A second descriptor for the same open file, close-on-exec.
    public borrowing func duplicate() throws(SystemCallError) -> FileDescriptor {
        let copy = rt_fcntl_int(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .last("fcntl") }
        return FileDescriptor(takingOwnership: copy)
    }
}
