internal import Glibc

/// A value of errno: the reason why a system call failed. The constants have the names of errno(3), in lower case.
public struct Errno: RawRepresentable, Hashable, Sendable {
    /// The kernel's number of the reason.
    public let rawValue: Int32

    /// Takes the kernel's number of a reason.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    // The reasons that callers compare with. `names` below has these and others.

    /// Operation not permitted.
    public static let eperm = Errno(rawValue: EPERM)
    /// No such file or directory.
    public static let enoent = Errno(rawValue: ENOENT)
    /// Input or output error.
    public static let eio = Errno(rawValue: EIO)
    /// The call would have to wait; try again later.
    public static let eagain = Errno(rawValue: EAGAIN)
    /// Permission denied.
    public static let eacces = Errno(rawValue: EACCES)
    /// The file exists already.
    public static let eexist = Errno(rawValue: EEXIST)
    /// Not a directory, where a directory is needed.
    public static let enotdir = Errno(rawValue: ENOTDIR)
    /// An argument has an invalid value.
    public static let einval = Errno(rawValue: EINVAL)
    /// The file system is read-only.
    public static let erofs = Errno(rawValue: EROFS)
    /// The other end of the pipe or socket is closed for reading.
    public static let epipe = Errno(rawValue: EPIPE)
    /// A symbolic link where none is allowed, or too many of them.
    public static let eloop = Errno(rawValue: ELOOP)
    /// No process listens at the address.
    public static let econnrefused = Errno(rawValue: ECONNREFUSED)
    /// The other side reset the connection.
    public static let econnreset = Errno(rawValue: ECONNRESET)
    /// No process has the other end of the FIFO open, or no such device.
    public static let enxio = Errno(rawValue: ENXIO)
    /// This process has no such child.
    public static let echild = Errno(rawValue: ECHILD)

    /// The symbolic name in lower case, as in `enoent`; `errno-N` for a number without a name here.
    public var name: String { Self.names[rawValue] ?? "errno-\(rawValue)" }

    /// The C library's text: `No such file or directory`.
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
