/// How a connection to a PostgreSQL server is made.
public struct PostgreSQLOptions: Sendable {
    /// Whether the session refuses to change anything.
    public var isReadOnly = false
    /// How long connecting may take, from the first attempt until the session is ready. Resolving the server's name is not
    /// part of it, because the C library cannot be interrupted.
    public var connectMilliseconds: Int64 = 5000
    /// How long one call may wait for the server's answers. Afterwards the connection is closed.
    public var answerMilliseconds: Int64 = 10_000
    /// How long the server lets a statement run; nil for the server's own limit.
    public var statementMilliseconds: Int64?
    /// How long the server lets a statement wait for a lock.
    public var lockMilliseconds: Int64 = 2000
    /// The name that the server's lists of sessions show.
    public var applicationName = "retention"

    /// Makes options with the defaults above.
    public init() {}
}
