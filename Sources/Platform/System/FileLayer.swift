internal import CLinux
internal import Glibc

/// The calls that replacing a file makes, so that a test can make the Nth of them fail.
package protocol FileLayer {
    /// Makes a new file for writing and reading, which must not exist yet.
    mutating func create(_ path: String, permissions: UInt32) throws(SystemCallError) -> OpenFile
    /// Writes all of the bytes.
    mutating func write(_ bytes: Span<UInt8>, to file: OpenFile) throws(SystemCallError)
    /// Waits until the file's bytes are on the disk.
    mutating func synchronize(_ file: OpenFile) throws(SystemCallError)
    /// Closes the file and says whether what was written arrived.
    mutating func close(_ file: OpenFile) throws(SystemCallError)
    /// Puts one file in another's place.
    mutating func rename(_ path: String, to other: String) throws(SystemCallError)
    /// Waits until the directory's entries are on the disk.
    mutating func synchronizeDirectory(_ path: String) throws(SystemCallError)
    /// Removes a file if it can be.
    mutating func remove(_ path: String)
}

/// A file being written; closed when nobody holds it any more.
package final class OpenFile: Sendable {
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }
}

/// The system's own calls.
package struct SystemFileLayer: FileLayer {
    /// Needs nothing.
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

    /// Closing a duplicate reports what closing the last one would (close(2): "errors from a previous write").
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
}
