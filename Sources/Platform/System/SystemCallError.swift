internal import CLinux
internal import Glibc

/// The reason why an operation of this module failed: a system call failed, or the calls succeeded and what is there cannot be used.
public struct SystemCallError: CodedError, Hashable, CustomStringConvertible {
    /// The call that failed; nil when none did.
    public let call: String?
    public let reason: Errno?
    /// The user whom the kernel refused; nil for another reason.
    private let userID: UInt32?
    /// Code and text when no call failed.
    private let faultCode: String
    private let faultText: String

    public init(call: String, _ reason: Errno) {
        self.init(call, reason, userID: nil)
    }

    private init(_ call: String, _ reason: Errno, userID: UInt32?) {
        (self.call, self.reason, self.userID) = (call, reason, userID)
        (faultCode, faultText) = ("", "")
    }

    private init(code: String, _ text: String) {
        (call, reason, userID) = (nil, nil, nil)
        (faultCode, faultText) = (code, text)
    }

    // Texts are made when somebody asks: a socket that is full throws, too.
    static func last(_ call: String) -> SystemCallError {
        let reason = Errno(rawValue: errno)
        let isRefusal = reason == .eacces || reason == .eperm
        return SystemCallError(call, reason, userID: isRefusal ? geteuid() : nil)
    }

    /// `system.` and the symbolic errno in lower case, as in `system.enoent`; `system.errno-N` for unnamed numbers.
    public var code: String { reason.map { "system.\($0.name)" } ?? faultCode }

    /// The call and the C library's text: `open: No such file or directory`. A refusal also names the user that the kernel
    /// refused: `open: Permission denied as retentiond`.
    public var description: String {
        guard let call, let reason else { return faultText }
        return "\(call): \(reason.message)" + (userID.map { " as \(Accounts.userName($0))" } ?? "")
    }

    public static func == (one: SystemCallError, other: SystemCallError) -> Bool {
        one.call == other.call && one.reason == other.reason && one.faultCode == other.faultCode
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine(faultCode)
    }

    public var isFileTooLarge: Bool { code == "file.too-large" }
    public var isFileChanged: Bool { code == "file.changed" }
}

/// What is there and cannot be used, although no call failed.
extension SystemCallError {
    static func fileTooLarge(limitBytes limit: Int) -> SystemCallError {
        SystemCallError(code: "file.too-large", "longer than the limit of \(limit) bytes")
    }

    static func fileChanged(byteCount: Int) -> SystemCallError {
        SystemCallError(
            code: "file.changed", "the file had \(byteCount) bytes, and its size changed during the copy")
    }

    public static let fileEmpty = SystemCallError(code: "file.empty", "the file is empty")

    public static func notRegularFile(path: String, kind: FileStatus.Kind) -> SystemCallError {
        let words = kind == .directory ? "a directory" : "not a regular file"
        return SystemCallError(code: "file.not-regular", "\(path) is \(words)")
    }

    public static func notDirectory(path: String) -> SystemCallError {
        SystemCallError(code: "file.not-directory", "\(path) is not a directory")
    }

    static func tooManyNames(limit: Int) -> SystemCallError {
        SystemCallError(code: "directory.too-many-names", "the directory has more than \(limit) entries")
    }

    static func wrongSize(byteCount: Int, expectedWords count: Int) -> SystemCallError {
        let words = "has \(byteCount) bytes, and this program expects \(count) words of 8 bytes"
        return SystemCallError(code: "memory.wrong-size", "the shared memory \(words)")
    }

    public static let messageTooLong = SystemCallError(
        code: "message.too-long", "the message is longer than its receiver takes")

    static func socketPathTooLong(byteCount: Int, limit: Int) -> SystemCallError {
        let words = "has \(byteCount) bytes, and the kernel allows \(limit)"
        return SystemCallError(code: "socket-path.too-long", "the socket's path \(words)")
    }

    static let socketPathInvalid = SystemCallError(
        code: "socket-path.invalid", "the socket's path is empty or contains a zero byte")
    static let socketPathInUse = SystemCallError(
        code: "socket-path.in-use", "already in use: another process accepts connections there")
    static let notSocket = SystemCallError(
        code: "socket-path.not-socket", "something other than a socket is there")
    static let notListening = SystemCallError(
        code: "socket.not-listening", "the socket does not listen")
    static let hostNotNumeric = SystemCallError(
        code: "host.not-numeric", "not a numeric IPv4 or IPv6 address")
    public static let lockHeld = SystemCallError(code: "lock.held", "another process holds the lock")
    public static let notProcessNumber = SystemCallError(
        code: "pid-file.invalid", "the file does not hold exactly one process number")
}

/// Calls `body` again as long as a signal interrupts it (EINTR). Any other negative result is thrown as `SystemCallError`.
@discardableResult
func retrying<Value: SignedInteger>(_ call: String, _ body: () -> Value) throws(SystemCallError) -> Value {
    while true {
        let value = body()
        if value >= 0 { return value }
        if errno != EINTR { throw .last(call) }
    }
}

/// A value of errno: the reason why a system call failed. The constants have the names of errno(3), in lower case.
public struct Errno: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    // The reasons that callers compare with.
    public static let eperm = Errno(rawValue: EPERM)
    public static let enoent = Errno(rawValue: ENOENT)
    public static let eio = Errno(rawValue: EIO)
    public static let eagain = Errno(rawValue: EAGAIN)
    public static let eacces = Errno(rawValue: EACCES)
    public static let eexist = Errno(rawValue: EEXIST)
    public static let enotdir = Errno(rawValue: ENOTDIR)
    public static let einval = Errno(rawValue: EINVAL)
    public static let erofs = Errno(rawValue: EROFS)
    public static let epipe = Errno(rawValue: EPIPE)
    public static let eloop = Errno(rawValue: ELOOP)
    public static let econnrefused = Errno(rawValue: ECONNREFUSED)
    public static let econnreset = Errno(rawValue: ECONNRESET)
    public static let enxio = Errno(rawValue: ENXIO)
    /// The symbolic name in lower case, as in `enoent`; `errno-N` for a number without a name.
    public var name: String {
        guard let name = unsafe strerrorname_np(rawValue) else { return "errno-\(rawValue)" }
        return unsafe String(cString: name).lowercased()
    }

    var message: String {
        guard let text = unsafe strerror(rawValue) else { return "errno \(rawValue)" }
        return unsafe String(cString: text)
    }
}
