internal import CLinux
internal import Glibc

public struct FileDescriptor: ~Copyable, Sendable {
    public let number: Int32

    public init(takingOwnership number: Int32) {
        self.number = number
    }

    deinit {
        _ = CLinux.close(number)
    }

    public consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }

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

    public borrowing func duplicate() throws(SystemCallError) -> FileDescriptor {
        try Self.duplicate(of: number)
    }

    public borrowing func setNonBlocking(_ enabled: Bool) throws(SystemCallError) {
        let flags = rt_fcntl_int(number, F_GETFL, 0)
        guard flags >= 0 else { throw .last("fcntl") }
        let wanted = enabled ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
        guard wanted != flags else { return }
        guard rt_fcntl_int(number, F_SETFL, wanted) == 0 else { throw .last("fcntl") }
    }

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

    public borrowing func truncate(toByteCount byteCount: Int) throws(SystemCallError) {
        let number = self.number
        try retrying("ftruncate") { ftruncate(number, off_t(byteCount)) }
    }

    /// Returns when the disk has what was written to the file. For a directory: when the disk has its entries.
    public borrowing func synchronize() throws(SystemCallError) {
        let number = self.number
        try retrying("fsync") { fsync(number) }
    }

    /// Counts the bytes of the file that are not in holes, and stops once the count reaches `limit`. The file position is 0
    /// afterwards.
    ///
    /// The number of blocks says little on a file system that compresses, and for a file that is not written to disk yet.
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

    private borrowing func all(_ limit: Int) throws(SystemCallError) -> Int {
        try rewind()
        return limit
    }

    // The system's headers show SEEK_DATA and SEEK_HOLE only with _GNU_SOURCE.
    private static var seekData: Int32 { 3 }
    private static var seekHole: Int32 { 4 }
}

extension FileDescriptor {
    public static func openForReading(path: String) throws(SystemCallError) -> FileDescriptor {
        let number = try retrying("open") { unsafe rt_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) }
        return FileDescriptor(takingOwnership: number)
    }

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

    public static func create(path: String, permissions: UInt32) throws(SystemCallError) -> FileDescriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let number = try retrying("open") { unsafe rt_open(path, flags, mode_t(permissions)) }
        let file = FileDescriptor(takingOwnership: number)
        guard fchmod(number, mode_t(permissions)) == 0 else { throw .last("fchmod") }
        return file
    }

    public static func pipe() throws(SystemCallError) -> DescriptorPair {
        var numbers: [Int32] = [-1, -1]
        guard unsafe pipe2(&numbers, O_CLOEXEC) == 0 else { throw .last("pipe2") }
        return DescriptorPair(
            reading: FileDescriptor(takingOwnership: numbers[0]),
            writing: FileDescriptor(takingOwnership: numbers[1]))
    }

    public borrowing func rewind() throws(SystemCallError) {
        guard lseek(number, 0, SEEK_SET) == 0 else { throw .last("lseek") }
    }

    /// Reads from the file position to the end. Throws `file.too-large` beyond `limitBytes`.
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

public struct DescriptorPair: ~Copyable, Sendable {
    public let reading: FileDescriptor
    public let writing: FileDescriptor

    public consuming func keepReading() -> FileDescriptor { reading }
}

extension FileDescriptor {
    public borrowing func read(into buffer: inout [UInt8]) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe buffer.withUnsafeMutableBytes { block in
            Result { () throws(SystemCallError) in
                try retrying("read") { unsafe CLinux.read(number, block.baseAddress, block.count) }
            }
        }.get()
    }

    public borrowing func read(into buffer: inout [UInt8], from index: Int) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe buffer.withUnsafeMutableBytes { block in
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: block[index...])
            return Result { () throws(SystemCallError) in
                try retrying("read") { unsafe CLinux.read(number, rest.baseAddress, rest.count) }
            }
        }.get()
    }

    /// Writes once and returns how many bytes the descriptor took. Throws `system.eagain` when a non-blocking one takes nothing.
    public borrowing func writeSome(_ bytes: Span<UInt8>) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe bytes.withUnsafeBytes { block throws(SystemCallError) in
            try retrying("write") { unsafe CLinux.write(number, block.baseAddress, block.count) }
        }
    }

    public borrowing func write(_ bytes: Span<UInt8>) throws(SystemCallError) {
        let number = self.number
        try unsafe bytes.withUnsafeBytes { block throws(SystemCallError) in
            var done = 0
            while done < block.count {
                done += try retrying("write") {
                    unsafe CLinux.write(number, block.baseAddress?.advanced(by: done), block.count - done)
                }
            }
        }
    }

    /// Copies all of `file` from its file position on. Throws `file.changed` when that are not exactly `byteCount` bytes, so that a
    /// file which changes during the copy is never accepted.
    public borrowing func write(copying file: borrowing FileDescriptor, byteCount: Int)
        throws(SystemCallError)
    {
        var block = [UInt8](repeating: 0, count: 1 << 20)
        var copied = 0
        while true {
            let count = try file.read(into: &block)
            if count == 0 { break }
            copied += count
            guard copied <= byteCount else { throw .found(.fileChanged(byteCount: byteCount)) }
            try write(block.span.extracting(first: count))
        }
        guard copied == byteCount else { throw .found(.fileChanged(byteCount: byteCount)) }
    }

    public borrowing func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int {
        let number = self.number
        return try unsafe buffer.withUnsafeMutableBytes { block in
            Result { () throws(SystemCallError) in
                try retrying("pread") { unsafe pread(number, block.baseAddress, block.count, off_t(offset)) }
            }
        }.get()
    }

    public borrowing func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError) {
        let number = self.number
        try unsafe bytes.withUnsafeBytes { block throws(SystemCallError) in
            var done = 0
            while done < block.count {
                done += try retrying("pwrite") {
                    unsafe pwrite(
                        number, block.baseAddress?.advanced(by: done), block.count - done,
                        off_t(offset + done))
                }
            }
        }
    }
}

public enum StandardDescriptors {
    public enum Output: Sendable {
        /// Writes succeed and the bytes are discarded: for a daemon whose log nobody wants.
        case discards
        /// Writes fail, as they did before: for a program whose result must not be lost silently.
        case fails
    }

    /// Opens `/dev/null` on each of the three descriptors that is closed. Call this before anything else is opened: the
    /// kernel gives out the lowest free number, and a log written to descriptor 2 would end up in whatever file got that
    /// number. Open descriptors stay as they are, also a FastCGI socket as descriptor 0. Throws the errno of `open`.
    public static func occupy(output: Output) throws(SystemCallError) {
        for number: Int32 in 0...2 where rt_fcntl_int(number, F_GETFD, 0) < 0 {
            let isReadOnly = number == 0 || output == .fails
            // The kernel gives the lowest free number. It is this one, because the lower ones are open by now.
            guard unsafe rt_open("/dev/null", isReadOnly ? O_RDONLY : O_WRONLY, 0) == number else {
                throw .last("open")
            }
        }
    }
}

/// A file in memory for code that reads and writes only with descriptors. It has one block of bytes at a time.
public enum ScratchFile {
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
