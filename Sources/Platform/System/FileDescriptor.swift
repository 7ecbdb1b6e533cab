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

    /// Returns when the disk has what was written to the file. For a directory: when the disk has its entries.
    public borrowing func synchronize() throws(SystemCallError) {
        let number = self.number
        try retrying("fsync") { fsync(number) }
    }
}

extension FileDescriptor {
    static func open(_ path: String, _ flags: Int32, permissions: UInt32 = 0) throws(SystemCallError)
        -> FileDescriptor
    {
        let number = try retrying("open") { unsafe rt_open(path, flags | O_CLOEXEC, mode_t(permissions)) }
        return FileDescriptor(takingOwnership: number)
    }

    public static func openForReading(path: String) throws(SystemCallError) -> FileDescriptor {
        try open(path, O_RDONLY | O_NONBLOCK)
    }

    public static func openDirectory(path: String) throws(SystemCallError) -> FileDescriptor {
        try open(path, O_RDONLY | O_DIRECTORY)
    }

    static func inMemory(named name: String) throws(SystemCallError) -> FileDescriptor {
        let number = unsafe memfd_create(name, UInt32(RT_MFD_CLOEXEC))
        guard number >= 0 else { throw .last("memfd_create") }
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
        let file = try open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: permissions)
        guard fchmod(file.number, mode_t(permissions)) == 0 else { throw .last("fchmod") }
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
                throw .fileTooLarge(limitBytes: limitBytes)
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
            guard copied <= byteCount else { throw .fileChanged(byteCount: byteCount) }
            try write(block.span.extracting(first: count))
        }
        guard copied == byteCount else { throw .fileChanged(byteCount: byteCount) }
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
        if let old = consume old { file = old } else { file = try .inMemory(named: "scratch") }
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
}

public struct FileIdentity: Sendable, Hashable {
    public let device: UInt64
    public let inode: UInt64
}

public struct FileStatus: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case regular
        case directory
        case socket
        case other
    }

    public let kind: Kind
    public let byteCount: Int
    public let permissions: UInt32
    public let userID: UInt32
    public let groupID: UInt32
    public let device: UInt64
    public let inode: UInt64
    public let modifiedNanoseconds: Int64
    /// The time of the last change of the contents, the name or the rights, nanoseconds since 1970. Nobody can set it.
    public let changedNanoseconds: Int64

    public var identity: FileIdentity { FileIdentity(device: device, inode: inode) }
    public var isGroupWritable: Bool { permissions & 0o020 != 0 }
    public var isWorldWritable: Bool { permissions & 0o002 != 0 }

    public init(of descriptor: borrowing FileDescriptor) throws(SystemCallError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .last("fstat") }
        self.init(status)
    }

    public init(path: String, followingLinks: Bool = true) throws(SystemCallError) {
        var status = stat()
        let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
        guard unsafe fstatat(AT_FDCWD, path, &status, flags) == 0 else { throw .last("stat") }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            if rt_is_regular(status.st_mode) != 0 {
                .regular
            } else if rt_is_directory(status.st_mode) != 0 {
                .directory
            } else if rt_is_socket(status.st_mode) != 0 {
                .socket
            } else {
                .other
            }
        byteCount = Int(status.st_size)
        permissions = status.st_mode & 0o7777
        userID = status.st_uid
        groupID = status.st_gid
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modifiedNanoseconds = Self.nanoseconds(status.st_mtim)
        changedNanoseconds = Self.nanoseconds(status.st_ctim)
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

public enum Directory {
    /// Returns the names in the open directory, sorted by their bytes, without `.` and `..`. Throws `directory.too-many-names`
    /// beyond `limitCount`.
    public static func names(in directory: borrowing FileDescriptor, limitCount: Int) throws(SystemCallError)
        -> [String]
    {
        let copy = try directory.duplicate().release()
        guard let stream = unsafe fdopendir(copy) else {
            let failure = SystemCallError.last("fdopendir")
            _ = CLinux.close(copy)
            throw failure
        }
        defer { unsafe closedir(stream) }
        unsafe rewinddir(stream)
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw .last("readdir") }
                return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            guard names.count < limitCount else { throw .tooManyNames(limit: limitCount) }
            names.append(name)
        }
    }

    public static func make(path: String, permissions: UInt32) throws(SystemCallError) {
        guard unsafe mkdir(path, mode_t(permissions)) == 0 else { throw .last("mkdir") }
        guard unsafe chmod(path, mode_t(permissions)) == 0 else { throw .last("chmod") }
    }

    public static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns the path without symbolic links (realpath(3)). When nothing is at `path`, resolves its directory alone; when that
    /// is missing too, returns the path as it is.
    public static func resolved(_ path: String) -> String {
        if let resolved = existing(path) { return resolved }
        guard let slash = path.lastIndex(of: "/"), let directory = existing(parent(of: path)) else {
            return path
        }
        return (directory == "/" ? "" : directory) + path[slash...]
    }

    private static func existing(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(validatingCString: resolved)
    }

    /// Checks whether this process may make an entry at `path`, and makes nothing. Throws `system.enoent`,
    /// `file.not-directory`, `system.eacces` or `system.erofs`.
    public static func checkEntryCanBeMade(path: String) throws(SystemCallError) {
        let directory = parent(of: path)
        guard try FileStatus(path: directory).kind == .directory else {
            throw .notDirectory(path: directory)
        }
        guard unsafe faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0 else { throw .last("open") }
    }

    public static func touch(path: String) throws(SystemCallError) {
        guard unsafe utimensat(AT_FDCWD, path, nil, 0) == 0 else { throw .last("utimensat") }
    }

    public static func removeFile(path: String) throws(SystemCallError) {
        guard unsafe unlink(path) != 0 else { return }
        if errno != ENOENT { throw .last("unlink") }
    }

    public static func rename(_ path: String, to other: String) throws(SystemCallError) {
        guard unsafe Glibc.rename(path, other) == 0 else { throw .last("rename") }
    }

    public static func linkTarget(path: String) -> String? {
        var text = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(path, &text, text.count)
        return count < 0 ? nil : String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    public static func removeEmpty(path: String) throws(SystemCallError) {
        guard unsafe rmdir(path) == 0 else { throw .last("rmdir") }
    }

    public static func give(path: String, toUser user: UInt32, group: UInt32) throws(SystemCallError) {
        guard unsafe lchown(path, user, group) == 0 else { throw .last("chown") }
    }
}
