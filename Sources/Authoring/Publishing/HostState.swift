/// What was learnt of a host before anything is changed.
public struct HostState: Sendable, Hashable {
    /// The host that was asked.
    public let host: PublishHost
    /// What it serves, or why that is not known.
    public let pool: Result<ServedPool, PublishError>
    /// True when it serves the same rules and facts already, and its last load was accepted.
    public var isCurrent = false

    public init(host: PublishHost, pool: Result<ServedPool, PublishError>) {
        self.host = host
        self.pool = pool
    }
}
