public import System
public import Vocabulary

/// The reason why a process cannot share counters.
public enum TelemetryError: CodedError, Hashable {
    /// A system call failed.
    case system(SystemCallError)
    /// The memory was made by a program with other counters, or holds no counters.
    case layoutMismatch

    /// The stable code.
    public var code: String {
        switch self {
        case .system(let error): error.code
        case .layoutMismatch: "telemetry.layout-mismatch"
        }
    }
}
