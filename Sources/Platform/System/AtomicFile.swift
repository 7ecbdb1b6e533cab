/// A file that is replaced whole or not at all, whatever happens on the way.
///
/// The bytes go to a hidden file beside it, which is synchronised, renamed over the old one and made durable by
/// synchronising the directory. Never through a temporary directory elsewhere: rename(2) is atomic only inside one
/// file system, and a copy over a mapped file ends its readers with SIGBUS.
public enum AtomicFile {
    /// Writes `bytes` to `path`, which keeps its old content until all of the new is on the disk.
    ///
    /// - Parameters:
    ///   - bytes: the whole new content.
    ///   - path: where the file is to stand; its directory must exist and be writable.
    ///   - permissions: the permission bits of the new file, whatever the umask says.
    /// - Throws: the errno of the call that failed. The old file is untouched then, unless it was the last call, the
    ///   directory's `fsync`, that failed: then the new one is there but a power cut may still undo it.
    public static func write(
        _ bytes: Span<UInt8>,
        to path: String,
        permissions: UInt32 = 0o644
    ) throws(SystemCallError) {
        var layer = SystemFileLayer()
        try write(bytes, to: path, permissions: permissions, through: &layer)
    }

    /// As the public one, through a layer that tests make fail.
    package static func write(
        _ bytes: Span<UInt8>,
        to path: String,
        permissions: UInt32,
        through layer: inout some FileLayer
    ) throws(SystemCallError) {
        let (directory, temporary) = places(for: path)
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

    /// The directory of a file and its name there.
    public static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        return (directory, String(path[path.utf8.index(after: slash)...]))
    }

    /// The directory of a file and the path of a hidden file in it, under a name that nobody has.
    static func places(for path: String) -> (directory: String, temporary: String) {
        let (directory, name) = split(path)
        return (directory, "\(directory)/.\(name).\(UInt64.random(in: 0...UInt64.max)).partial")
    }
}
