internal import CLinux
internal import Glibc

/// A file in memory for code that reads and writes only with descriptors. It has one block of bytes at a time.
public enum ScratchFile {
    /// Makes a file that contains exactly `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: the new content.
    ///   - old: an earlier result, which is overwritten and returned; nil makes a new file.
    /// - Returns: the file's descriptor, positioned at the start.
    /// - Throws: the errno of the call that failed; the old file is closed then.
    public static func make(_ bytes: Span<UInt8>, reusing old: consuming FileDescriptor?)
        throws(SystemCallError) -> FileDescriptor
    {
        let file: FileDescriptor
        if let old = consume old { file = old } else { file = try create() }
        guard ftruncate(file.number, 0) == 0 else { throw .last("ftruncate") }
        guard lseek(file.number, 0, SEEK_SET) == 0 else { throw .last("lseek") }
        try file.write(bytes)
        guard lseek(file.number, 0, SEEK_SET) == 0 else { throw .last("lseek") }
        return file
    }

    /// Returns the content of a file, and empties the file.
    ///
    /// - Throws: the errno of the call that failed.
    public static func takeBytes(of file: borrowing FileDescriptor) throws(SystemCallError) -> [UInt8] {
        let end = lseek(file.number, 0, SEEK_END)
        guard end >= 0 else { throw .last("lseek") }
        guard lseek(file.number, 0, SEEK_SET) == 0 else { throw .last("lseek") }
        var bytes = [UInt8](repeating: 0, count: Int(end))
        var done = 0
        while done < bytes.count {
            let count = try file.read(into: &bytes, from: done)
            guard count > 0 else { break }
            done += count
        }
        guard ftruncate(file.number, 0) == 0 else { throw .last("ftruncate") }
        return bytes
    }

    private static func create() throws(SystemCallError) -> FileDescriptor {
        let number = unsafe memfd_create("scratch", UInt32(RT_MFD_CLOEXEC))
        guard number >= 0 else { throw .last("memfd_create") }
        return FileDescriptor(takingOwnership: number)
    }
}
