internal import CLinux
internal import Glibc
public import Vocabulary

/// A system call that failed: its name, its errno, and who was refused when it was a refusal.
public struct SystemCallError: CodedError, Hashable, CustomStringConvertible {
    /// The call, as in the manual page's name: `open`, `mmap`.
    public let call: String
    /// The value of errno, or another small reason where the call has no errno.
    public let number: Int32
    /// The effective user of the process when the kernel refused it the call (EACCES, EPERM); nil otherwise.
    public private(set) var userID: UInt32?

    /// Two failures are equal when call and errno are, whoever was refused.
    public static func == (one: SystemCallError, other: SystemCallError) -> Bool {
        one.call == other.call && one.number == other.number
    }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(call)
        hasher.combine(number)
    }

    /// Names the call and the errno it left.
    public init(call: String, number: Int32) {
        self.call = call
        self.number = number
    }

    /// `system.` and the symbolic errno in lower case, `system.enoent`; `system.errno-N` where it has no name here.
    public var code: String {
        if let name = Self.names[number] { return "system.\(name)" }
        return "system.errno-\(number)"
    }

    /// The call and the system's own words: `open: No such file or directory`. A refusal says whom the system refused:
    /// `open: Permission denied as retentiond`.
    public var description: String {
        let text = "\(call): \(Self.message(number))"
        guard let userID else { return text }
        return "\(text) as \(Accounts.userName(userID))"
    }

    /// A message that is longer than its receiver takes.
    public static var messageTooLong: SystemCallError { SystemCallError(call: "send", number: EMSGSIZE) }

    /// The failure of `call` as errno tells it now.
    static func last(_ call: String) -> SystemCallError {
        var error = SystemCallError(call: call, number: errno)
        if error.number == EACCES || error.number == EPERM { error.userID = geteuid() }
        return error
    }

    private static func message(_ number: Int32) -> String {
        guard let text = unsafe strerror(number) else { return "errno \(number)" }
        return unsafe String(cString: text)
    }

    private static let names: [Int32: String] = [
        EPERM: "eperm", ENOENT: "enoent", EINTR: "eintr", EIO: "eio", EBADF: "ebadf", EAGAIN: "eagain",
        ENOMEM: "enomem", EACCES: "eacces", EBUSY: "ebusy", EEXIST: "eexist", ENOTDIR: "enotdir",
        EISDIR: "eisdir", EINVAL: "einval", ENFILE: "enfile", EMFILE: "emfile", EFBIG: "efbig",
        ENOSPC: "enospc", EROFS: "erofs", EPIPE: "epipe", ELOOP: "eloop", EADDRINUSE: "eaddrinuse",
        ECONNREFUSED: "econnrefused", ECONNRESET: "econnreset", ETIMEDOUT: "etimedout",
        ENAMETOOLONG: "enametoolong", EDQUOT: "edquot", ENOSYS: "enosys", ENXIO: "enxio",
        EMSGSIZE: "emsgsize", EADDRNOTAVAIL: "eaddrnotavail", ENOTSOCK: "enotsock", ENOTCONN: "enotconn",
        ENOBUFS: "enobufs", ESRCH: "esrch", ECHILD: "echild",
    ]
}

/// Calls `body` until it is not interrupted by a signal; a negative result is thrown as `SystemCallError`.
@discardableResult
func retrying<Value: SignedInteger>(
    _ call: String,
    _ body: () -> Value
) throws(SystemCallError) -> Value {
    while true {
        let value = body()
        if value >= 0 { return value }
        if errno != EINTR { throw .last(call) }
    }
}
