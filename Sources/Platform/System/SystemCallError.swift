internal import CLinux
internal import Glibc
public import Vocabulary

/// The reason why an operation of this module failed: a system call failed, or the calls succeeded and what they found
/// cannot be used.
public enum SystemCallError: CodedError, Hashable, CustomStringConvertible {
    case failed(FailedCall)
    /// No system call failed. The fact says why the operation cannot go on.
    case found(SystemFault)

    /// A failed system call: its name, its errno and, when the kernel refused it, the user it was refused to.
    public struct FailedCall: Sendable, Hashable {
        /// The call, as its manual page is named: `open`, `mmap`.
        public let name: String
        /// The reason why the call failed.
        public let reason: Errno
        /// The process's effective user, when the kernel refused the call (EACCES, EPERM); nil otherwise.
        public fileprivate(set) var userID: UInt32?

        /// Two failures are equal when their call and their errno are. The refused user is not compared.
        public static func == (one: FailedCall, other: FailedCall) -> Bool {
            one.name == other.name && one.reason == other.reason
        }

        /// Hashes the fields that ``==(_:_:)`` compares.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(reason)
        }
    }

    /// Makes the error of a `call` that returned this reason. It names no user.
    package init(call: String, _ reason: Errno) {
        self = .failed(FailedCall(name: call, reason: reason))
    }

    /// The failed call, as its manual page is named; nil when no call failed.
    public var call: String? {
        if case .failed(let failed) = self { failed.name } else { nil }
    }

    /// The errno of the failed call; nil when no call failed.
    public var reason: Errno? {
        if case .failed(let failed) = self { failed.reason } else { nil }
    }

    /// The fact for which the operation failed; nil when a system call failed.
    public var fault: SystemFault? {
        if case .found(let fault) = self { fault } else { nil }
    }

    /// Returns true when a file or a pipe has more bytes than the program accepts.
    public var isFileTooLarge: Bool {
        if case .found(.fileTooLarge) = self { true } else { false }
    }

    /// Returns true when the size of a file changed while it was copied.
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

    /// Makes the error for `call` from the present errno.
    static func last(_ call: String) -> SystemCallError {
        var failed = FailedCall(name: call, reason: Errno(rawValue: errno))
        if failed.reason == .eacces || failed.reason == .eperm { failed.userID = geteuid() }
        return .failed(failed)
    }
}

/// Calls `body` again as long as a signal interrupts it (EINTR). Any other negative result is thrown as
/// `SystemCallError`.
@discardableResult
func retrying<Value: SignedInteger>(_ call: String, _ body: () -> Value) throws(SystemCallError) -> Value {
    while true {
        let value = body()
        if value >= 0 { return value }
        if errno != EINTR { throw .last(call) }
    }
}
