/// Replaces a file so that readers and a crash see the whole old content or the whole new content.
///
/// The bytes go to a hidden file in the same directory. That file is synchronised and renamed over the old one, and the
/// directory is synchronised to make the rename durable. The hidden file is never in a temporary directory elsewhere:
/// rename(2) is atomic only inside one file system, and copying over a mapped file ends its readers with SIGBUS.
public enum AtomicFile {
    /// Writes `bytes` to `path`. The file keeps its old content until all of the new content is on the disk.
    ///
    /// - Parameters:
    ///   - bytes: the whole new content.
    ///   - path: the path of the file; its directory must exist and be writable.
    ///   - permissions: the permission bits of the new file, whatever the umask is.
    /// - Throws: the errno of the call that failed. The old file is then untouched, with one exception: when the last
    ///   call, the directory's `fsync`, fails, the new file is in place, but a power cut may still undo that.
    public static func write(_ bytes: Span<UInt8>, to path: String, permissions: UInt32 = 0o644)
        throws(SystemCallError)
    {
        try write(bytes, to: path, permissions: permissions, through: SystemFileLayer())
    }

    /// Does the same for a file whose writers all hold `lock` meanwhile, through a layer whose calls a test can make fail. The hidden
    /// file always has the same name, so processes that were killed leave at most one, and the next write removes it.
    package static func write(
        _ bytes: Span<UInt8>, to path: String, permissions: UInt32, holding lock: borrowing FileLock,
        through layer: some FileLayer
    ) throws(SystemCallError) {
        let (directory, name) = split(path)
        let temporary = "\(directory)/.\(name).partial"
        layer.remove(temporary)
        try write(bytes, to: path, permissions: permissions, places: (directory, temporary), through: layer)
    }

    /// Does the same as the first function, through a layer whose calls a test can make fail.
    package static func write(
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

    /// Splits `path` into its directory and the name inside it. The directory of a path without a slash is `.`.
    public static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        return (directory, String(path[path.utf8.index(after: slash)...]))
    }

    /// Returns the directory of the file at `path`, and the path of a hidden file in it with a random, unused name.
    static func places(for path: String) -> (directory: String, temporary: String) {
        let (directory, name) = split(path)
        return (directory, "\(directory)/.\(name).\(UInt64.random(in: 0...UInt64.max)).partial")
    }
}
