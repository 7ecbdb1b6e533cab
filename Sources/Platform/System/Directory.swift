internal import CLinux
internal import Glibc

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
            guard names.count < limitCount else { throw .found(.tooManyNames(limit: limitCount)) }
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
            throw .found(.notDirectory(path: directory))
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
