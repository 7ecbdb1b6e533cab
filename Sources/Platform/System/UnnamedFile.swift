internal import CLinux
internal import Glibc

/// A file on a disk that never had a name and can get none (open(2), O_TMPFILE with O_EXCL), open for reading alone.
/// Nobody can reach its bytes except through its descriptors, and the file is gone with the last of them. For content
/// too large for ``SealedMemory``.
public struct UnnamedFile: ~Copyable, Sendable {
    /// The descriptor; it can be inherited, sent and mapped read-only.
    public let descriptor: FileDescriptor
    /// The length in bytes.
    public let byteCount: Int

    /// Copies exactly `byteCount` bytes of `file`, from its file position to its end, into a new file on the file
    /// system of `directory`.
    ///
    /// - Throws: `file.changed` when the file turns out shorter or longer than `byteCount`, so that a file which changes
    ///   during the copy is never accepted; the errno of `read`; the errno of any other call when the copy cannot be
    ///   made in `directory`.
    public init(copying file: borrowing FileDescriptor, byteCount: Int, in directory: String)
        throws(SystemCallError)
    {
        let flags = O_RDWR | Int32(RT_O_TMPFILE) | O_EXCL | O_CLOEXEC
        let number = try retrying("open") { unsafe rt_open(directory, flags, 0o400) }
        let copy = FileDescriptor(takingOwnership: number)
        try copy.write(copying: file, byteCount: byteCount)
        // `copy` is the only descriptor that can write; it is closed at the end of this function.
        let path = "/proc/self/fd/\(copy.number)"
        let reopened = try retrying("open") { unsafe rt_open(path, O_RDONLY | O_CLOEXEC, 0) }
        descriptor = FileDescriptor(takingOwnership: reopened)
        self.byteCount = byteCount
    }

    /// Gives the descriptor to a new owner.
    consuming func takeDescriptor() -> FileDescriptor { descriptor }

    /// Returns true when the descriptor is read-only and its file is a regular file without a name.
    static func isOne(_ descriptor: borrowing FileDescriptor) throws(SystemCallError) -> Bool {
        let flags = rt_fcntl_int(descriptor.number, F_GETFL, 0)
        guard flags >= 0 else { throw .last("fcntl") }
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .last("fstat") }
        return flags & O_ACCMODE == O_RDONLY && rt_is_regular(status.st_mode) != 0 && status.st_nlink == 0
    }
}
