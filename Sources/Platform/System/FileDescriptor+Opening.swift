internal import CLinux
internal import Glibc

extension FileDescriptor {
    /// Opens a file for reading, close-on-exec. Follows symbolic links.
    public static func openForReading(path: String) throws(SystemCallError) -> FileDescriptor {
        let number = try retrying("open") { unsafe rt_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) }
        return FileDescriptor(takingOwnership: number)
    }

    /// Opens a directory, close-on-exec.
    public static func openDirectory(path: String) throws(SystemCallError) -> FileDescriptor {
        let number = try retrying("open") { unsafe rt_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        return FileDescriptor(takingOwnership: number)
    }

    /// Opens a file directly in this directory for reading, close-on-exec. It never follows a symbolic link and never
    /// waits for the other end of a FIFO. The caller checks which kind of file it got.
    public borrowing func openEntry(named name: String) throws(SystemCallError) -> FileDescriptor {
        let directory = number
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let number = try retrying("openat") { unsafe rt_openat(directory, name, flags, 0) }
        return FileDescriptor(takingOwnership: number)
    }

    /// Makes a new file for writing with exactly these permission bits. It is an error when the file exists.
    public static func create(path: String, permissions: UInt32) throws(SystemCallError) -> FileDescriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let number = try retrying("open") { unsafe rt_open(path, flags, mode_t(permissions)) }
        let file = FileDescriptor(takingOwnership: number)
        guard fchmod(number, mode_t(permissions)) == 0 else { throw .last("fchmod") }
        return file
    }

    /// Returns the two ends of a new pipe, close-on-exec.
    public static func pipe() throws(SystemCallError) -> DescriptorPair {
        var numbers: [Int32] = [-1, -1]
        guard unsafe pipe2(&numbers, O_CLOEXEC) == 0 else { throw .last("pipe2") }
        return DescriptorPair(
            reading: FileDescriptor(takingOwnership: numbers[0]),
            writing: FileDescriptor(takingOwnership: numbers[1]))
    }

    /// Moves the file position to the first byte.
    public borrowing func rewind() throws(SystemCallError) {
        guard lseek(number, 0, SEEK_SET) == 0 else { throw .last("lseek") }
    }

    /// Reads from the file position to the end, at most `limitBytes`.
    ///
    /// - Throws: `file.too-large` beyond the limit, else the errno of `read`.
    public borrowing func readAll(limitBytes: Int) throws(SystemCallError) -> [UInt8] {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = try read(into: &block)
            if count == 0 { return bytes }
            guard bytes.count + count <= limitBytes else {
                throw .found(.fileTooLarge(limitBytes: limitBytes))
            }
            bytes.append(contentsOf: block[..<count])
        }
    }
}

/// The two ends of a pipe.
public struct DescriptorPair: ~Copyable, Sendable {
    /// The end to read from.
    public let reading: FileDescriptor
    /// The end to write to.
    public let writing: FileDescriptor

    /// Returns the end to read from, and closes the end to write to.
    public consuming func keepReading() -> FileDescriptor { reading }
}
