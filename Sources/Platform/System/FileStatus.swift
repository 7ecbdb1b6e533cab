internal import CLinux
internal import Glibc

public struct FileIdentity: Sendable, Hashable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
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
