/// How a child process ended.
public enum ChildExit: Sendable, Hashable, CustomStringConvertible {
    /// The child exited with this status, 0...255.
    case exited(Int32)
    /// The signal with this number ended the child.
    case signalled(Int32)

    /// True when the child exited with status 0.
    public var isSuccess: Bool { self == .exited(0) }

    /// `status 1` or `signal 9`, for logs and messages.
    public var description: String {
        switch self {
        case .exited(let status): "status \(status)"
        case .signalled(let number): "signal \(number)"
        }
    }
}
