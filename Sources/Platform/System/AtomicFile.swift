/// Replaces a file so that readers and a crash see the whole old content or the whole new content. The bytes go to a hidden
/// file in the same directory, since rename(2) is atomic only inside one file system.
public enum AtomicFile {
    /// Writes `bytes` to `path`. The file keeps its old content until all of the new content is on the disk. Throws the
    /// errno of the call that failed. The old file is then untouched, with one exception: when the last call, the
    /// directory's `fsync`, fails, the new file is in place, but a power cut may still undo that.
    public static func write(_ bytes: Span<UInt8>, to path: String, permissions: UInt32 = 0o644)
        throws(SystemCallError)
    {
        try write(bytes, to: path, permissions: permissions, through: SystemFileLayer())
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

    /// Does the same as the first function, through a layer whose calls a test can make fail.
    public static func write(
        _ bytes: Span<UInt8>, to path: String, permissions: UInt32, through layer: some FileLayer
    ) throws(SystemCallError) {
        try write(bytes, to: path, permissions: permissions, places: places(for: path), through: layer)
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

/// Writes a file piece by piece; the file appears whole or not at all. For content too large for ``AtomicFile``. Where the
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
        // Signals wait until the rename: none can end the process while the file has only its hidden name.
        let (file, hasName, temporary, path) = (file, hasName, temporary, path)
        try SignalMask.holdingSignals { () throws(SystemCallError) in
            if !hasName { try layer.link(file, to: temporary) }
            try layer.rename(temporary, to: path)
        }
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
