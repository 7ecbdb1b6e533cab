public import System
public import Vocabulary

/// The reason why a process cannot share counters.
public enum TelemetryError: CodedError, Hashable {
    /// A system call failed.
    case system(SystemCallError)
    /// The memory was made by a program with other counters, or holds no counters.
    case layoutMismatch

    /// Makes the error of a process that cannot map the counters of another process.
    init(_ error: SystemCallError) {
        // For a descriptor that is not a memory file, F_GET_SEALS fails with EINVAL (fcntl(2)).
        if error.isWrongSize || error.reason == .einval {
            self = .layoutMismatch
        } else {
            self = .system(error)
        }
    }

    /// The stable code.
    public var code: String {
        switch self {
        case .system(let error): error.code
        case .layoutMismatch: "telemetry.layout-mismatch"
        }
    }
}
