internal import CLinux
internal import Glibc
public import Vocabulary

/// A failed system call: its name, its errno and, when the kernel refused it, the user it was refused to.
public struct SystemCallError: CodedError, Hashable, CustomStringConvertible {
    /// The call, as its manual page is named: `open`, `mmap`.
    public let call: String
    /// The reason why the call failed.
    public let reason: Errno
    /// The process's effective user, when the kernel refused the call (EACCES, EPERM); nil otherwise.
    public private(set) var userID: UInt32?

    /// Two errors are equal when their call and their errno are. The refused user is not compared.
    public static func == (one: SystemCallError, other: SystemCallError) -> Bool {
        one.call == other.call && one.reason == other.reason
    }

    /// Hashes the fields that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(call)
        hasher.combine(reason)
    }

    /// Makes the error for `call` with a reason. It names no user.
    public init(call: String, _ reason: Errno) {
        self.call = call
        self.reason = reason
    }

    /// `system.` and the symbolic errno in lower case, as in `system.enoent`; `system.errno-N` for unnamed numbers.
    public var code: String { "system.\(reason.name)" }

    /// The call and the C library's text: `open: No such file or directory`. A refusal also names the user that the
    /// kernel refused: `open: Permission denied as retentiond`.
    public var description: String {
        let text = "\(call): \(reason.message)"
        guard let userID else { return text }
        return "\(text) as \(Accounts.userName(userID))"
    }

    /// The error for a message that is longer than its receiver takes.
    public static var messageTooLong: SystemCallError { SystemCallError(call: "send", .emsgsize) }

    /// Makes the error for `call` from the present errno.
    static func last(_ call: String) -> SystemCallError {
        var error = SystemCallError(call: call, Errno(rawValue: errno))
        if error.reason == .eacces || error.reason == .eperm { error.userID = geteuid() }
        return error
    }
}

/// Calls `body` again as long as a signal interrupts it (EINTR). Any other negative result is thrown as
/// `SystemCallError`.
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
