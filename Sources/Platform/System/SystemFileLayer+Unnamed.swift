internal import CLinux
internal import Glibc

/// Files that have no name until they are complete (open(2), O_TMPFILE).
extension SystemFileLayer {
    /// Makes a file without a name in a directory. Nil when that is impossible, or when it could not be named later.
    func createUnnamed(in directory: String, permissions: UInt32) -> OpenFile? {
        let flags = O_RDWR | Int32(RT_O_TMPFILE) | O_CLOEXEC
        let number = try? retrying("open") { unsafe rt_open(directory, flags, 0o600) }
        guard let number else { return nil }
        let file = OpenFile(FileDescriptor(takingOwnership: number))
        guard fchmod(number, mode_t(permissions)) == 0,
            let own = try? FileStatus(of: file.descriptor),
            let linked = try? FileStatus(path: Self.path(of: file)),
            own.inode == linked.inode, own.device == linked.device
        else { return nil }
        return file
    }

    /// Gives the file its name, `path`. It is an error when a file with that name exists.
    func link(_ file: OpenFile, to path: String) throws(SystemCallError) {
        let own = Self.path(of: file)
        try retrying("linkat") { unsafe linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) }
    }

    private static func path(of file: OpenFile) -> String { "/proc/self/fd/\(file.descriptor.number)" }
}
