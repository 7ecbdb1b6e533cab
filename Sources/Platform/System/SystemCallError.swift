internal import CLinux
internal import Glibc
public import Vocabulary

/// A system call that failed: its name, its errno, and who was refused when it was a refusal.
public struct SystemCallError: CodedError, Hashable, CustomStringConvertible {
    /// The call, as in the manual page's name: `open`, `mmap`.
    public let call: String
    /// Why it failed.
    public let reason: Errno
    /// The effective user of the process when the kernel refused it the call (EACCES, EPERM); nil otherwise.
    public private(set) var userID: UInt32?

    /// Two failures are equal when call and errno are, whoever was refused.
    public static func == (one: SystemCallError, other: SystemCallError) -> Bool {
        one.call == other.call && one.reason == other.reason
    }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(call)
        hasher.combine(reason)
    }

    /// Names the call and why it failed.
    public init(call: String, _ reason: Errno) {
        self.call = call
        self.reason = reason
    }

    /// `system.` and the symbolic errno in lower case, `system.enoent`; `system.errno-N` where it has no name here.
    public var code: String { "system.\(reason.name)" }

    /// The call and the system's own words: `open: No such file or directory`. A refusal says whom the system refused:
    /// `open: Permission denied as retentiond`.
    public var description: String {
        let text = "\(call): \(reason.message)"
        guard let userID else { return text }
        return "\(text) as \(Accounts.userName(userID))"
    }

    /// A message that is longer than its receiver takes.
    public static var messageTooLong: SystemCallError { SystemCallError(call: "send", .emsgsize) }

    /// The failure of `call` as errno tells it now.
    static func last(_ call: String) -> SystemCallError {
        var error = SystemCallError(call: call, Errno(rawValue: errno))
        if error.reason == .eacces || error.reason == .eperm { error.userID = geteuid() }
        return error
    }
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
