internal import Glibc

/// A value of errno: why a system call failed. The names are those of errno(3) in lower case.
public struct Errno: RawRepresentable, Hashable, Sendable {
    /// The number that the kernel has for it.
    public let rawValue: Int32

    /// The reason with a number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    // The reasons that callers ask for; every other one has a name below.

    /// Operation not permitted.
    public static let eperm = Errno(rawValue: EPERM)
    /// No such file or directory.
    public static let enoent = Errno(rawValue: ENOENT)
    /// Input or output error.
    public static let eio = Errno(rawValue: EIO)
    /// No such descriptor.
    public static let ebadf = Errno(rawValue: EBADF)
    /// Not now.
    public static let eagain = Errno(rawValue: EAGAIN)
    /// Permission denied.
    public static let eacces = Errno(rawValue: EACCES)
    /// In use by somebody else.
    public static let ebusy = Errno(rawValue: EBUSY)
    /// There already.
    public static let eexist = Errno(rawValue: EEXIST)
    /// Not a directory.
    public static let enotdir = Errno(rawValue: ENOTDIR)
    /// A directory.
    public static let eisdir = Errno(rawValue: EISDIR)
    /// An argument that makes no sense.
    public static let einval = Errno(rawValue: EINVAL)
    /// Larger than is allowed.
    public static let efbig = Errno(rawValue: EFBIG)
    /// No space left.
    public static let enospc = Errno(rawValue: ENOSPC)
    /// A file system that is read-only.
    public static let erofs = Errno(rawValue: EROFS)
    /// Nobody reads.
    public static let epipe = Errno(rawValue: EPIPE)
    /// A symbolic link, or too many of them.
    public static let eloop = Errno(rawValue: ELOOP)
    /// Somebody listens there.
    public static let eaddrinuse = Errno(rawValue: EADDRINUSE)
    /// Nobody listens there.
    public static let econnrefused = Errno(rawValue: ECONNREFUSED)
    /// The other side closed the connection.
    public static let econnreset = Errno(rawValue: ECONNRESET)
    /// A name that is too long.
    public static let enametoolong = Errno(rawValue: ENAMETOOLONG)
    /// Nobody at the other end, or no such device.
    public static let enxio = Errno(rawValue: ENXIO)
    /// A message that is too long.
    public static let emsgsize = Errno(rawValue: EMSGSIZE)
    /// Not a socket.
    public static let enotsock = Errno(rawValue: ENOTSOCK)
    /// No such child.
    public static let echild = Errno(rawValue: ECHILD)

    /// The symbolic name in lower case, `enoent`; `errno-N` where it has no name here.
    public var name: String { Self.names[rawValue] ?? "errno-\(rawValue)" }

    /// The system's own words: `No such file or directory`.
    var message: String {
        guard let text = unsafe strerror(rawValue) else { return "errno \(rawValue)" }
        return unsafe String(cString: text)
    }

    private static let names: [Int32: String] = [
        EPERM: "eperm", ENOENT: "enoent", EINTR: "eintr", EIO: "eio", EBADF: "ebadf", EAGAIN: "eagain",
        ENOMEM: "enomem", EACCES: "eacces", EBUSY: "ebusy", EEXIST: "eexist", ENOTDIR: "enotdir",
        EISDIR: "eisdir", EINVAL: "einval", ENFILE: "enfile", EMFILE: "emfile", EFBIG: "efbig",
        ENOSPC: "enospc", EROFS: "erofs", EPIPE: "epipe", ELOOP: "eloop", EADDRINUSE: "eaddrinuse",
        ECONNREFUSED: "econnrefused", ECONNRESET: "econnreset", ETIMEDOUT: "etimedout",
        ENAMETOOLONG: "enametoolong", EDQUOT: "edquot", ENOSYS: "enosys", ENXIO: "enxio",
        EMSGSIZE: "emsgsize", EADDRNOTAVAIL: "eaddrnotavail", ENOTSOCK: "enotsock",
        ENOTCONN: "enotconn", ENOBUFS: "enobufs", ESRCH: "esrch", ECHILD: "echild",
    ]
}
