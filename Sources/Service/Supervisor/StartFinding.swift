internal import System

/// One thing that `-t` found: it stands in the way of a start, or of what works after one.
public struct StartFinding: Sendable, Hashable, CustomStringConvertible {
    /// A stable code; that of the start's own error where the start itself would be refused.
    public let code: String
    /// What is wrong, with the command that mends it, for people.
    public let message: String
    /// The exit status for it.
    public let exitStatus: Int32

    /// The message with its code.
    public var description: String { "\(message) (\(code))" }

    /// The start would be refused with this error.
    static func refusal(_ error: SupervisorError, remedy: String? = nil) -> StartFinding {
        let message = remedy.map { "\(error): \($0)" } ?? error.description
        return StartFinding(code: error.code, message: message, exitStatus: error.exitStatus)
    }

    /// nginx cannot enter the directory of the socket.
    static func closed(_ message: String) -> StartFinding {
        StartFinding(code: "socket-directory-closed", message: message, exitStatus: 77)
    }

    /// Everybody may put another socket in the place of the pool's.
    static func open(_ message: String) -> StartFinding {
        StartFinding(code: "socket-directory-open", message: message, exitStatus: 77)
    }

    /// The pool would serve, but could write neither verdicts nor its last good generation.
    static func stateUnwritable(_ message: String) -> StartFinding {
        StartFinding(code: "state-directory-unwritable", message: message, exitStatus: 77)
    }
}
