/// How a child process ended.
public enum ChildExit: Sendable, Hashable, CustomStringConvertible {
    /// It returned this status, 0...255.
    case exited(Int32)
    /// This signal ended it.
    case signalled(Int32)

    /// Whether it ended of its own will and without complaint.
    public var isSuccess: Bool { self == .exited(0) }

    /// `status 1` or `signal 9`.
    public var description: String {
        switch self {
        case .exited(let status): "status \(status)"
        case .signalled(let number): "signal \(number)"
        }
    }
}
