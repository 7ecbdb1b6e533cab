/// Writes a file piece by piece; the file appears whole or not at all. For content too large for ``AtomicFile``.
///
/// Where the file system supports it (open(2), O_TMPFILE), the bytes go to a file without a name, so nothing is left
/// behind however the process ends. Elsewhere they go to a hidden file in the same directory, which stays there when a
/// signal ends the process. ``commit()`` synchronises the file, renames it over the old one and synchronises the
/// directory.
public struct AtomicFileWriter: ~Copyable, PositionedOutput {
    private let path: String
    private let temporary: String
    private let directory: String
    private let file: OpenFile
    private let hasName: Bool
    private var end = 0

    /// Makes the empty file that ``commit()`` puts at `path`.
    ///
    /// - Parameters:
    ///   - path: the path of the file; its directory must exist and be writable.
    ///   - permissions: the permission bits of the new file, whatever the umask is.
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
        // After a commit no file has this name any more.
        SystemFileLayer().remove(temporary)
    }

    /// Writes all of `bytes` at an offset. Bytes that are skipped before the offset are zero.
    public mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemCallError) {
        try file.descriptor.write(bytes, at: offset)
        end = max(end, offset + bytes.count)
    }

    /// Writes all of `bytes` behind the last byte written so far.
    public mutating func append(_ bytes: Span<UInt8>) throws(SystemCallError) {
        try write(bytes, at: end)
    }

    /// Reads at most `buffer.count` of the written bytes, from `offset`. Returns their number, 0 at the end.
    public func read(into buffer: inout [UInt8], at offset: Int) throws(SystemCallError) -> Int {
        try file.descriptor.read(into: &buffer, at: offset)
    }

    /// Puts the file in its place and waits until that is on the disk.
    ///
    /// - Throws: the errno of the call that failed. The old file is then untouched, with one exception: when the last
    ///   call, the directory's `fsync`, fails, the new file is in place, but a power cut may still undo that.
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
