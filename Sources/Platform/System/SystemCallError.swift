internal import CLinux
internal import Glibc

/// The reason why an operation of this module failed: a system call failed, or the calls succeeded and what they found
/// cannot be used.
public enum SystemCallError: CodedError, Hashable, CustomStringConvertible {
    case failed(FailedCall)
    case found(SystemFault)

    public struct FailedCall: Sendable, Hashable {
        public let name: String
        public let reason: Errno
        public fileprivate(set) var userID: UInt32?

        public static func == (one: FailedCall, other: FailedCall) -> Bool {
            one.name == other.name && one.reason == other.reason
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(reason)
        }
    }

    public init(call: String, _ reason: Errno) {
        self = .failed(FailedCall(name: call, reason: reason))
    }

    public var call: String? {
        if case .failed(let failed) = self { failed.name } else { nil }
    }

    public var reason: Errno? {
        if case .failed(let failed) = self { failed.reason } else { nil }
    }

    public var fault: SystemFault? {
        if case .found(let fault) = self { fault } else { nil }
    }

    public var isFileTooLarge: Bool {
        if case .found(.fileTooLarge) = self { true } else { false }
    }

    public var isFileChanged: Bool {
        if case .found(.fileChanged) = self { true } else { false }
    }

    /// `system.` and the symbolic errno in lower case, as in `system.enoent`; `system.errno-N` for unnamed numbers. The
    /// fault's own code when no call failed.
    public var code: String {
        switch self {
        case .failed(let failed): "system.\(failed.reason.name)"
        case .found(let fault): fault.code
        }
    }

    /// The call and the C library's text: `open: No such file or directory`. A refusal also names the user that the
    /// kernel refused: `open: Permission denied as retentiond`. The fault's own sentence when no call failed.
    public var description: String {
        switch self {
        case .failed(let failed):
            let text = "\(failed.name): \(failed.reason.message)"
            guard let userID = failed.userID else { return text }
            return "\(text) as \(Accounts.userName(userID))"
        case .found(let fault): return fault.description
        }
    }

    static func last(_ call: String) -> SystemCallError {
        var failed = FailedCall(name: call, reason: Errno(rawValue: errno))
        if failed.reason == .eacces || failed.reason == .eperm { failed.userID = geteuid() }
        return .failed(failed)
    }
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

public enum SystemFault: CodedError, Hashable, CustomStringConvertible {
    case fileTooLarge(limitBytes: Int)
    case fileChanged(byteCount: Int)
    case fileEmpty
    case notRegularFile(path: String, kind: FileStatus.Kind)
    case notDirectory(path: String)
    case tooManyNames(limit: Int)
    case wrongSize(byteCount: Int, expectedWords: Int)
    case messageTooLong
    case socketPathTooLong(byteCount: Int, limit: Int)
    case socketPathInvalid
    case socketPathInUse
    case notSocket
    case notListening
    case hostNotNumeric
    case lockHeld
    case notProcessNumber

    public var code: String {
        switch self {
        case .fileTooLarge: "file.too-large"
        case .fileChanged: "file.changed"
        case .fileEmpty: "file.empty"
        case .notRegularFile: "file.not-regular"
        case .notDirectory: "file.not-directory"
        case .tooManyNames: "directory.too-many-names"
        case .wrongSize: "memory.wrong-size"
        case .messageTooLong: "message.too-long"
        case .socketPathTooLong: "socket-path.too-long"
        case .socketPathInvalid: "socket-path.invalid"
        case .socketPathInUse: "socket-path.in-use"
        case .notSocket: "socket-path.not-socket"
        case .notListening: "socket.not-listening"
        case .hostNotNumeric: "host.not-numeric"
        case .lockHeld: "lock.held"
        case .notProcessNumber: "pid-file.invalid"
        }
    }

    public var description: String {
        switch self {
        case .fileTooLarge(let limit): "longer than the limit of \(limit) bytes"
        case .fileChanged(let byteCount):
            "the file had \(byteCount) bytes, and its size changed during the copy"
        case .fileEmpty: "the file is empty"
        case .notRegularFile(let path, let kind):
            "\(path) is \(kind == .directory ? "a directory" : "not a regular file")"
        case .notDirectory(let path): "\(path) is not a directory"
        case .tooManyNames(let limit): "the directory has more than \(limit) entries"
        case .wrongSize(let byteCount, let expected):
            "the shared memory has \(byteCount) bytes, and this program expects \(expected) words of 8 bytes"
        case .messageTooLong: "the message is longer than its receiver takes"
        case .socketPathTooLong(let byteCount, let limit):
            "the socket's path has \(byteCount) bytes, and the kernel allows \(limit)"
        case .socketPathInvalid: "the socket's path is empty or contains a zero byte"
        case .socketPathInUse: "already in use: another process accepts connections there"
        case .notSocket: "something other than a socket is there"
        case .notListening: "the socket does not listen"
        case .hostNotNumeric: "not a numeric IPv4 or IPv6 address"
        case .lockHeld: "another process holds the lock"
        case .notProcessNumber: "the file does not hold exactly one process number"
        }
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
