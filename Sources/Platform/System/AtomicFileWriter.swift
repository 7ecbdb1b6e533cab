/// A file that is written piece by piece and appears whole or not at all; for what is too large for ``AtomicFile``.
///
/// The bytes go to a file without a name where the file system has such (open(2), O_TMPFILE), so that nothing is left
/// behind however the process ends; else to a hidden file beside it, which a signal leaves there. ``commit()``
/// synchronises it, renames it over the old one and synchronises the directory.
public struct AtomicFileWriter: ~Copyable, PositionedOutput {
    private let path: String
    private let temporary: String
    private let directory: String
    private let file: OpenFile
    private let hasName: Bool
    private var end = 0

    /// Makes the file that is to take the place.
    ///
    /// - Parameters:
    ///   - path: where the file is to stand; its directory must exist and be writable.
    ///   - permissions: the permission bits of the new file, whatever the umask says.
    /// - Throws: the errno of the call that failed.
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
        // After a commit there is no such file any more.
        SystemFileLayer().remove(temporary)
    }

    /// Writes all of `bytes` at an offset; what is left out between is zero.
    public mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError) {
        try file.descriptor.write(bytes, at: offset)
        end = max(end, offset + bytes.count)
    }

    /// Writes all of `bytes` behind what has been written.
    public mutating func append(_ bytes: Span<UInt8>) throws(SystemCallError) {
        try write(bytes, at: end)
    }

    /// Reads at most `buffer.count` bytes of what has been written; 0 at the end.
    public func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int {
        try file.descriptor.read(into: &buffer, at: offset)
    }

    /// Puts the file in its place and waits until that is on the disk.
    ///
    /// - Throws: the errno of the call that failed. The old file is untouched then, unless it was the last call, the
    ///   directory's `fsync`, that failed: then the new one is there but a power cut may still undo it.
    public consuming func commit() throws(SystemCallError) {
        let layer = SystemFileLayer()
        try layer.synchronize(file)
        try layer.close(file)
        // A file that has just got its name is not left there: signals wait for the next call.
        let (file, hasName, temporary, path) = (file, hasName, temporary, path)
        try SignalMask.holdingSignals { () throws(SystemCallError) in
            if !hasName { try layer.link(file, to: temporary) }
            try layer.rename(temporary, to: path)
        }
        try layer.synchronizeDirectory(directory)
    }
}
