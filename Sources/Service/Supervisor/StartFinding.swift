internal import System

/// One problem that `-t` found: it prevents a start, or something that the pool needs after the start.
public struct StartFinding: Sendable, Hashable, CustomStringConvertible {
    /// The stable code. Where the start itself would be refused, it is the code of the start's error.
    public let code: String
    /// A sentence for a person: what is wrong, with the command that repairs it.
    public let message: String
    /// The exit status of `-t` for this finding.
    public let exitStatus: Int32

    /// The message with its code.
    public var description: String { "\(message) (\(code))" }

    /// Makes the finding for a start that would be refused with this error.
    static func refusal(_ error: SupervisorError, remedy: String? = nil) -> StartFinding {
        let message = remedy.map { "\(error): \($0)" } ?? error.description
        return StartFinding(code: error.code, message: message, exitStatus: error.exitStatus)
    }

    /// Makes the finding for a socket directory that nginx cannot enter.
    static func closed(_ message: String) -> StartFinding {
        StartFinding(code: "socket-directory-closed", message: message, exitStatus: 77)
    }

    /// Makes the finding for a socket directory in which everybody may replace the pool's socket.
    static func open(_ message: String) -> StartFinding {
        StartFinding(code: "socket-directory-open", message: message, exitStatus: 77)
    }

    /// Makes the finding for a pool that would serve, but could not write verdicts or its last good generation.
    static func stateUnwritable(_ message: String) -> StartFinding {
        StartFinding(code: "state-directory-unwritable", message: message, exitStatus: 77)
    }
}
