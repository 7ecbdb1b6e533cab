internal import CLinux
internal import Glibc

/// A file in memory that holds one block of bytes at a time, for code that reads only descriptors.
public enum ScratchFile {
    /// Makes a file of exactly `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: the new content.
    ///   - old: an earlier result to write over instead of making another file.
    /// - Returns: its descriptor, standing at the start.
    /// - Throws: the errno of a call that failed; the old file is gone then.
    public static func make(
        _ bytes: Span<UInt8>,
        reusing old: consuming FileDescriptor?
    ) throws(SystemCallError) -> FileDescriptor {
        let file: FileDescriptor
        if let old = consume old { file = old } else { file = try create() }
        guard ftruncate(file.number, 0) == 0 else { throw .last("ftruncate") }
        guard lseek(file.number, 0, SEEK_SET) == 0 else { throw .last("lseek") }
        try file.write(bytes)
        guard lseek(file.number, 0, SEEK_SET) == 0 else { throw .last("lseek") }
        return file
    }

    private static func create() throws(SystemCallError) -> FileDescriptor {
        let number = unsafe memfd_create("scratch", UInt32(RT_MFD_CLOEXEC))
        guard number >= 0 else { throw .last("memfd_create") }
        return FileDescriptor(takingOwnership: number)
    }
}
