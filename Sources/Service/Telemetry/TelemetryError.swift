public import System
public import Vocabulary

/// Why counters cannot be shared.
public enum TelemetryError: CodedError, Hashable {
    /// A system call failed.
    case system(SystemCallError)
    /// The memory was made by a program that counts other things.
    case layoutMismatch

    /// The stable code.
    public var code: String {
        switch self {
        case .system(let error): error.code
        case .layoutMismatch: "telemetry.layout-mismatch"
        }
    }
}
