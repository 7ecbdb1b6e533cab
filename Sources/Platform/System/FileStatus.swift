internal import CLinux
internal import Glibc

package struct FileIdentity: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case regular
        case directory
        case socket
        case other
    }

    package let kind: Kind
    package let byteCount: Int
    package let permissions: UInt32
    package let userID: UInt32
    package let groupID: UInt32
    package let device: UInt64
    package let inode: UInt64
    package let modifiedNanoseconds: Int64
    /// The time of the last change of the contents, the name or the rights, nanoseconds since 1970. Nobody can set it.
    package let changedNanoseconds: Int64

    package var identity: FileIdentity { FileIdentity(device: device, inode: inode) }
    package var isGroupWritable: Bool { permissions & 0o020 != 0 }
    package var isWorldWritable: Bool { permissions & 0o002 != 0 }

    package init(of descriptor: borrowing FileDescriptor) throws(SystemCallError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .last("fstat") }
        self.init(status)
    }

    package init(path: String, followingLinks: Bool = true) throws(SystemCallError) {
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
