internal import CLinux
internal import Glibc

/// The calls that replace a file. A test makes the Nth of them fail; its layer counts the calls, so it is a class.
public protocol FileLayer {
    func create(_ path: String, permissions: UInt32) throws(SystemCallError) -> OpenFile
    func write(_ bytes: Span<UInt8>, to file: OpenFile) throws(SystemCallError)
    func synchronize(_ file: OpenFile) throws(SystemCallError)
    func close(_ file: OpenFile) throws(SystemCallError)
    func rename(_ path: String, to other: String) throws(SystemCallError)
    func synchronizeDirectory(_ path: String) throws(SystemCallError)
    func remove(_ path: String)
}

public protocol DirectoryLayer: FileLayer {
    func makeDirectory(_ path: String) throws(SystemCallError)
    /// Copies all of `source` into a new file. Throws `file.changed` when it does not have `byteCount` bytes.
    func copy(_ source: borrowing FileDescriptor, byteCount: Int, to file: OpenFile) throws(SystemCallError)
    func link(_ path: String, to other: String) throws(SystemCallError)
    func symbolicLink(to target: String, at path: String) throws(SystemCallError)
    func removeDirectory(_ path: String)
}

public final class OpenFile: Sendable {
    public let descriptor: FileDescriptor

    public init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    public static func inMemory() throws(SystemCallError) -> OpenFile {
        let number = unsafe memfd_create("copy", UInt32(RT_MFD_CLOEXEC))
        guard number >= 0 else { throw .last("memfd_create") }
        return OpenFile(FileDescriptor(takingOwnership: number))
    }
}

public struct SystemFileLayer: FileLayer {
    public init() {}

    public func create(_ path: String, permissions: UInt32) throws(SystemCallError) -> OpenFile {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let number = try retrying("open") { unsafe rt_open(path, flags, 0o600) }
        let file = OpenFile(FileDescriptor(takingOwnership: number))
        guard fchmod(number, mode_t(permissions)) == 0 else {
            let error = SystemCallError.last("fchmod")
            remove(path)
            throw error
        }
        return file
    }

    public func write(_ bytes: Span<UInt8>, to file: OpenFile) throws(SystemCallError) {
        try file.descriptor.write(bytes)
    }

    public func synchronize(_ file: OpenFile) throws(SystemCallError) {
        let number = file.descriptor.number
        try retrying("fsync") { fsync(number) }
    }

    /// Closing a duplicate reports the same errors as closing the last descriptor (close(2): "errors from a previous
    /// write").
    public func close(_ file: OpenFile) throws(SystemCallError) {
        try file.descriptor.duplicate().close()
    }

    public func rename(_ path: String, to other: String) throws(SystemCallError) {
        try retrying("rename") { unsafe Glibc.rename(path, other) }
    }

    public func synchronizeDirectory(_ path: String) throws(SystemCallError) {
        let number = try retrying("open") { unsafe rt_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        let directory = FileDescriptor(takingOwnership: number)
        try retrying("fsync") { fsync(directory.number) }
    }

    public func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// Makes a file without a name in a directory (open(2), O_TMPFILE). Nil when that is impossible, or when the file could
    /// not be named later.
    func createUnnamed(in directory: String, permissions: UInt32) -> OpenFile? {
        let flags = O_RDWR | Int32(RT_O_TMPFILE) | O_CLOEXEC
        let number = try? retrying("open") { unsafe rt_open(directory, flags, 0o600) }
        guard let number else { return nil }
        let file = OpenFile(FileDescriptor(takingOwnership: number))
        guard fchmod(number, mode_t(permissions)) == 0,
            let own = try? FileStatus(of: file.descriptor),
            let linked = try? FileStatus(path: Self.path(of: file)),
            own.inode == linked.inode, own.device == linked.device
        else { return nil }
        return file
    }

    func link(_ file: OpenFile, to path: String) throws(SystemCallError) {
        let own = Self.path(of: file)
        try retrying("linkat") { unsafe linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) }
    }

    private static func path(of file: OpenFile) -> String { "/proc/self/fd/\(file.descriptor.number)" }
}

extension SystemFileLayer: DirectoryLayer {
    public func makeDirectory(_ path: String) throws(SystemCallError) {
        try Directory.make(path: path, permissions: 0o700)
    }

    public func copy(_ source: borrowing FileDescriptor, byteCount: Int, to file: OpenFile)
        throws(SystemCallError)
    {
        let (from, to) = (source.number, file.descriptor.number)
        var copied = 0
        while true {
            // From offsets of its own, so that the file position is still at the start for the other way.
            var (start, end) = (off_t(copied), off_t(copied))
            let count = unsafe copy_file_range(from, &start, to, &end, 1 << 30, 0)
            // Not between these file systems. Then the kernel says so at once.
            if count < 0, copied == 0, errno != ENOSPC, errno != EIO { break }
            guard count >= 0 else { throw .last("copy_file_range") }
            copied += count
            guard copied <= byteCount, count > 0 || copied == byteCount else {
                throw .found(.fileChanged(byteCount: byteCount))
            }
            if count == 0 { return }
        }
        try source.rewind()
        try file.descriptor.write(copying: source, byteCount: byteCount)
    }

    public func link(_ path: String, to other: String) throws(SystemCallError) {
        guard unsafe Glibc.link(path, other) == 0 else { throw .last("link") }
    }

    public func symbolicLink(to target: String, at path: String) throws(SystemCallError) {
        guard unsafe symlink(target, path) == 0 else { throw .last("symlink") }
    }

    public func removeDirectory(_ path: String) {
        _ = unsafe rmdir(path)
    }
}
