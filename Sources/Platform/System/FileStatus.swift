internal import CLinux
internal import Glibc

/// Which file it is, whatever its name: no other has the same two numbers while it is open.
public struct FileIdentity: Sendable, Hashable {
    /// The file system it is on.
    public let device: UInt64
    /// Its number there.
    public let inode: UInt64

    /// Both.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// What the kernel knows about a file (stat(2)).
public struct FileStatus: Sendable, Hashable {
    /// The kinds that matter here.
    public enum Kind: Sendable, Hashable {
        /// A file with bytes.
        case regular
        /// A directory.
        case directory
        /// A unix socket.
        case socket
        /// Anything else: FIFO, device, symbolic link.
        case other
    }

    /// Which of them it is.
    public let kind: Kind
    /// The length in bytes, where the kind has one.
    public let byteCount: Int
    /// The permission bits, `0o7777` of the mode.
    public let permissions: UInt32
    /// The number of the owner.
    public let userID: UInt32
    /// The number of the group.
    public let groupID: UInt32
    /// The file system it is on.
    public let device: UInt64
    /// Its number there.
    public let inode: UInt64

    /// What tells it from every other file.
    public var identity: FileIdentity { FileIdentity(device: device, inode: inode) }
    /// Whether members of its group may write it.
    public var isGroupWritable: Bool { permissions & 0o020 != 0 }
    /// Whether everybody may write it.
    public var isWorldWritable: Bool { permissions & 0o002 != 0 }

    /// Of the file behind an open descriptor.
    public init(of descriptor: borrowing FileDescriptor) throws(SystemCallError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .last("fstat") }
        self.init(status)
    }

    /// Of the file at `path`, symbolic links followed or not.
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
    }
}
