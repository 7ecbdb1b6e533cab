internal import CLinux
internal import Glibc

/// The calls that replace a file. A test makes the Nth of them fail; its layer counts the calls, so it is a class.
package protocol FileLayer {
    /// Makes a new file for writing and reading. It is an error when the file exists.
    func create(_ path: String, permissions: UInt32) throws(SystemCallError) -> OpenFile
    func write(_ bytes: Span<UInt8>, to file: OpenFile) throws(SystemCallError)
    /// Waits until the file's bytes are on the disk.
    func synchronize(_ file: OpenFile) throws(SystemCallError)
    /// Closes the file and reports whether all writes succeeded.
    func close(_ file: OpenFile) throws(SystemCallError)
    /// Renames a file, replacing any file at `other`.
    func rename(_ path: String, to other: String) throws(SystemCallError)
    /// Waits until the directory's entries are on the disk.
    func synchronizeDirectory(_ path: String) throws(SystemCallError)
    /// Removes a file; ignores a failure.
    func remove(_ path: String)
}

/// The calls that make a directory of files, besides those that write one file.
package protocol DirectoryLayer: FileLayer {
    /// Makes a directory that its owner alone can enter.
    func makeDirectory(_ path: String) throws(SystemCallError)
    /// Copies all of `source`, which has `byteCount` bytes, into a new file. The copy shares the blocks of the source where the
    /// file system can do that.
    ///
    /// - Throws: `file.changed` when the source has another size; the errno of `read` when it cannot be read.
    func copy(_ source: borrowing FileDescriptor, byteCount: Int, to file: OpenFile) throws(SystemCallError)
    /// Gives a file a further name.
    func link(_ path: String, to other: String) throws(SystemCallError)
    func symbolicLink(to target: String, at path: String) throws(SystemCallError)
    /// Removes an empty directory; ignores a failure.
    func removeDirectory(_ path: String)
}

/// A file with shared ownership. It is closed when the last reference goes.
package final class OpenFile: Sendable {
    package let descriptor: FileDescriptor

    package init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Makes a file in memory, which is gone when it is closed.
    package static func inMemory() throws(SystemCallError) -> OpenFile {
        let number = unsafe memfd_create("copy", UInt32(RT_MFD_CLOEXEC))
        guard number >= 0 else { throw .last("memfd_create") }
        return OpenFile(FileDescriptor(takingOwnership: number))
    }
}

/// The layer that makes the real system calls.
package struct SystemFileLayer: FileLayer {
    package init() {}

    package func create(_ path: String, permissions: UInt32) throws(SystemCallError) -> OpenFile {
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

    package func write(_ bytes: Span<UInt8>, to file: OpenFile) throws(SystemCallError) {
        try file.descriptor.write(bytes)
    }

    package func synchronize(_ file: OpenFile) throws(SystemCallError) {
        let number = file.descriptor.number
        try retrying("fsync") { fsync(number) }
    }

    /// Closing a duplicate reports the same errors as closing the last descriptor (close(2): "errors from a previous
    /// write").
    package func close(_ file: OpenFile) throws(SystemCallError) {
        try file.descriptor.duplicate().close()
    }

    package func rename(_ path: String, to other: String) throws(SystemCallError) {
        try retrying("rename") { unsafe Glibc.rename(path, other) }
    }

    package func synchronizeDirectory(_ path: String) throws(SystemCallError) {
        let number = try retrying("open") { unsafe rt_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        let directory = FileDescriptor(takingOwnership: number)
        try retrying("fsync") { fsync(directory.number) }
    }

    package func remove(_ path: String) {
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

    /// Gives the file its name, `path`. It is an error when a file with that name exists.
    func link(_ file: OpenFile, to path: String) throws(SystemCallError) {
        let own = Self.path(of: file)
        try retrying("linkat") { unsafe linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) }
    }

    private static func path(of file: OpenFile) -> String { "/proc/self/fd/\(file.descriptor.number)" }
}

extension SystemFileLayer: DirectoryLayer {
    package func makeDirectory(_ path: String) throws(SystemCallError) {
        try Directory.make(path: path, permissions: 0o700)
    }

    package func copy(_ source: borrowing FileDescriptor, byteCount: Int, to file: OpenFile)
        throws(SystemCallError)
    {
        let (from, to) = (source.number, file.descriptor.number)
        if rt_clone(to, from) == 0 {
            guard try FileStatus(of: file.descriptor).byteCount == byteCount else {
                throw .found(.fileChanged(byteCount: byteCount))
            }
            return
        }
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

    package func link(_ path: String, to other: String) throws(SystemCallError) {
        guard unsafe Glibc.link(path, other) == 0 else { throw .last("link") }
    }

    package func symbolicLink(to target: String, at path: String) throws(SystemCallError) {
        guard unsafe symlink(target, path) == 0 else { throw .last("symlink") }
    }

    package func removeDirectory(_ path: String) {
        _ = unsafe rmdir(path)
    }
}
