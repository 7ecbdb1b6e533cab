internal import CLinux
internal import Glibc

/// Replaces a file so that readers and a crash see the whole old content or the whole new content. The bytes go to a hidden
/// file in the same directory, since rename(2) is atomic only inside one file system.
public enum AtomicFile {
    /// Writes `bytes` to `path`. The file keeps its old content until all of the new content is on the disk. Throws the
    /// errno of the call that failed. The old file is then untouched, with one exception: when the last call, the
    /// directory's `fsync`, fails, the new file is in place, but a power cut may still undo that.
    public static func write(
        _ bytes: Span<UInt8>, to path: String, permissions: UInt32 = 0o644,
        through layer: some FileLayer = SystemFileLayer()
    ) throws(SystemCallError) {
        try write(bytes, to: path, permissions: permissions, places: places(for: path), through: layer)
    }

    /// Does the same for a file whose writers all hold `lock` meanwhile, through a layer whose calls a test can make fail. The hidden
    /// file always has the same name, so processes that were killed leave at most one, and the next write removes it.
    public static func write(
        _ bytes: Span<UInt8>, to path: String, permissions: UInt32, holding lock: borrowing FileLock,
        through layer: some FileLayer
    ) throws(SystemCallError) {
        let (directory, name) = split(path)
        let temporary = "\(directory)/.\(name).partial"
        layer.remove(temporary)
        try write(bytes, to: path, permissions: permissions, places: (directory, temporary), through: layer)
    }

    private static func write(
        _ bytes: Span<UInt8>, to path: String, permissions: UInt32,
        places: (directory: String, temporary: String), through layer: some FileLayer
    ) throws(SystemCallError) {
        let (directory, temporary) = places
        let file = try layer.create(temporary, permissions: permissions)
        do throws(SystemCallError) {
            try layer.write(bytes, to: file)
            try layer.synchronize(file)
            try layer.close(file)
            try layer.rename(temporary, to: path)
        } catch {
            layer.remove(temporary)
            throw error
        }
        try layer.synchronizeDirectory(directory)
    }

    public static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        return (directory, String(path[path.utf8.index(after: slash)...]))
    }

    static func places(for path: String) -> (directory: String, temporary: String) {
        let (directory, name) = split(path)
        return (directory, "\(directory)/.\(name).\(UInt64.random(in: 0...UInt64.max)).partial")
    }
}

/// Writes a file little by little; the file appears whole or not at all. For content too large for ``AtomicFile``. Where the
/// file system supports it (open(2), O_TMPFILE), the bytes go to a file without a name, so nothing is left behind however
/// the process ends.
public struct AtomicFileWriter: ~Copyable, PositionedOutput {
    private let path: String
    private let temporary: String
    private let directory: String
    private let file: OpenFile
    private let hasName: Bool
    private var end = 0

    public init(path: String, permissions: UInt32 = 0o644) throws(SystemCallError) {
        let (directory, temporary) = AtomicFile.places(for: path)
        if let unnamed = SystemFileLayer().createUnnamed(in: directory, permissions: permissions) {
            file = unnamed
            hasName = false
        } else {
            file = try SystemFileLayer().create(temporary, permissions: permissions)
            hasName = true
        }
        self.path = path
        self.temporary = temporary
        self.directory = directory
    }

    deinit {
        // After a commit no file has this name any more.
        SystemFileLayer().remove(temporary)
    }

    public mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError) {
        try file.descriptor.write(bytes, at: offset)
        end = max(end, offset + bytes.count)
    }

    public mutating func append(_ bytes: Span<UInt8>) throws(SystemCallError) {
        try write(bytes, at: end)
    }

    public func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int {
        try file.descriptor.read(into: &buffer, at: offset)
    }

    public consuming func commit() throws(SystemCallError) {
        let layer = SystemFileLayer()
        try layer.synchronize(file)
        try layer.close(file)
        if !hasName { try layer.link(file, to: temporary) }
        try layer.rename(temporary, to: path)
        try layer.synchronizeDirectory(directory)
    }
}

/// An output that takes bytes at any offset and lets the writer read them again.
public protocol PositionedOutput: ~Copyable {
    mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError)
    func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int
}

public struct MemoryOutput: PositionedOutput, Sendable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError) {
        let missing = offset + bytes.count - self.bytes.count
        if missing > 0 { self.bytes += [UInt8](repeating: 0, count: missing) }
        for index in bytes.indices { self.bytes[offset + index] = bytes[index] }
    }

    public func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int {
        let count = min(buffer.count, max(bytes.count - offset, 0))
        for index in 0..<count { buffer[index] = bytes[offset + index] }
        return count
    }
}

public enum FileCreationMask {
    /// Returns the usual permissions of new files: 0666 minus the umask, as `/proc/self/status` says it. The system call
    /// can only read the umask by setting it, for all threads of the process. Without `/proc` the result is 0600.
    public static func permissionsOfFiles() -> UInt32 {
        guard let file = try? FileDescriptor.openForReading(path: "/proc/self/status"),
            let bytes = try? file.readAll(limitBytes: 64 << 10)
        else { return 0o600 }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("Umask:")
        }
        let digits = line?.dropFirst("Umask:".count).filter(\.isWholeNumber)
        return digits.flatMap { UInt32($0, radix: 8) }.map { 0o666 & ~$0 } ?? 0o600
    }
}

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
        OpenFile(try .inMemory(named: "copy"))
    }
}

public struct SystemFileLayer: FileLayer {
    public init() {}

    public func create(_ path: String, permissions: UInt32) throws(SystemCallError) -> OpenFile {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        let file = OpenFile(try .open(path, flags, permissions: 0o600))
        guard fchmod(file.descriptor.number, mode_t(permissions)) == 0 else {
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
        try file.descriptor.synchronize()
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
        try FileDescriptor.openDirectory(path: path).synchronize()
    }

    public func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// Makes a file without a name in a directory. Nil when that is impossible, or when the file could not be named later.
    func createUnnamed(in directory: String, permissions: UInt32) -> OpenFile? {
        let flags = O_RDWR | Int32(RT_O_TMPFILE)
        guard let made = try? FileDescriptor.open(directory, flags, permissions: 0o600) else { return nil }
        let file = OpenFile(made)
        guard fchmod(file.descriptor.number, mode_t(permissions)) == 0,
            let own = try? FileStatus(of: file.descriptor),
            let linked = try? FileStatus(path: Self.path(of: file)),
            own.identity == linked.identity
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
                throw .fileChanged(byteCount: byteCount)
            }
            if count == 0 { return beginWriteback(file) }
        }
        try source.rewind()
        try file.descriptor.write(copying: source, byteCount: byteCount)
        beginWriteback(file)
    }

    /// The disk begins to write, so that less is left for ``synchronize(_:)``.
    private func beginWriteback(_ file: OpenFile) {
        _ = sync_file_range(file.descriptor.number, 0, 0, UInt32(RT_SYNC_FILE_RANGE_WRITE))
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

/// A file that exists to be locked (flock(2)), so that only one of several processes goes on. Only its owner and root
/// can open it, so no other reader can hold the lock.
///
/// The lock belongs to the open file. The kernel frees it when the process ends, in whatever way.
public struct FileLock: ~Copyable, Sendable {
    public let descriptor: FileDescriptor
    public let path: String

    public init(path: String) throws(SystemCallError) {
        while true {
            guard let file = try Self.open(path) else { continue }
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw .last("flock") }
                throw .lockHeld
            }
            // The former holder may have removed the file between our open and our lock; then we try again.
            guard let there = try? FileStatus(path: path), let ours = try? FileStatus(of: file),
                there.identity == ours.identity
            else { continue }
            descriptor = file
            self.path = path
            return
        }
    }

    public borrowing func remove() throws(SystemCallError) {
        guard let there = try? FileStatus(path: path, followingLinks: false),
            let ours = try? FileStatus(of: descriptor), there.identity == ours.identity
        else { return }
        try Directory.removeFile(path: path)
    }

    /// Frees the lock now. Closing the descriptor alone frees it later: a child process that was started at this moment has
    /// a copy of the descriptor until it calls exec.
    public borrowing func unlock() {
        _ = flock(descriptor.number, LOCK_UN)
    }

    private static func open(_ path: String) throws(SystemCallError) -> FileDescriptor? {
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK
        do throws(SystemCallError) {
            return try .open(path, flags | O_CREAT | O_EXCL, permissions: 0o600)
        } catch {
            guard error.reason == .eexist else { throw error }
        }
        do throws(SystemCallError) {
            let found = try FileDescriptor.open(path, flags)
            let kind = try FileStatus(of: found).kind
            guard kind == .regular else { throw .notRegularFile(path: path, kind: kind) }
            return found
        } catch {
            if error.reason == .enoent { return nil }
            throw error
        }
    }
}

/// A lock on a file that is free again when this object is gone, also when an error ends its use, and also while a child process
/// that was just started still has a copy of the descriptor.
public final class HeldLock: Sendable {
    public let file: FileLock

    public init(_ file: consuming FileLock) {
        self.file = file
    }

    deinit { file.unlock() }
}

/// The file that names the running supervisor. Everybody may read it. A separate lock file, `PATH.lock`, keeps a second
/// supervisor from starting; no reader of the pid file can take that lock (see ``FileLock``).
public struct PidFile: ~Copyable, Sendable {
    public let path: String
    private let lock: FileLock

    public static func lockPath(of path: String) -> String { "\(path).lock" }

    public struct Contents: Sendable {
        public let processID: Int32
        public let ownerID: UInt32
    }

    public init(creating path: String) throws(SystemCallError) {
        let lock = try FileLock(path: Self.lockPath(of: path))
        do throws(SystemCallError) {
            // Programs that rotate logs read the file, so everybody may, whatever the umask is.
            try AtomicFile.write("\(getpid())\n".utf8Span.span, to: path, permissions: 0o644)
        } catch {
            try? lock.remove()
            throw error
        }
        self.path = path
        self.lock = lock
    }

    public borrowing func isOurs() -> Bool {
        guard let contents = try? Self.read(path: path) else { return false }
        return contents.processID == getpid()
    }

    public borrowing func remove() throws(SystemCallError) {
        if isOurs() { try Directory.removeFile(path: path) }
        try lock.remove()
    }

    /// Reads the pid file at `path`; nil when it does not exist. This does not tell whether the process runs, or what it is:
    /// see ``ProcessHandle``. Throws `pid-file.invalid` when the file is not one process number.
    public static func read(path: String) throws(SystemCallError) -> Contents? {
        let bytes: [UInt8]
        let status: FileStatus
        do throws(SystemCallError) {
            let file = try FileDescriptor.openForReading(path: path)
            status = try FileStatus(of: file)
            bytes = status.kind == .regular ? try file.readAll(limitBytes: 64) : []
        } catch {
            if error.reason == .enoent { return nil }
            // For a unix socket, open(2) fails with ENXIO.
            if error.isFileTooLarge || error.reason == .enxio { throw .notProcessNumber }
            throw error
        }
        let digits = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int32(String(decoding: digits, as: UTF8.self)), number > 0
        else { throw .notProcessNumber }
        return Contents(processID: number, ownerID: status.userID)
    }
}
