/// How many connections one worker holds, and for how long. Times are in milliseconds.
public struct FastCGISettings: Sendable, Hashable {
    /// Connections beyond this number make the one close that is idle for longest. Well under the usual limit of 1,024
    /// descriptors in a process.
    public var connectionCountLimit = 768
    /// An idle connection is closed after this time: longer than nginx's default `keepalive_timeout` (60 s), so that
    /// nginx, which knows what it is about to send, closes first.
    public var idleMilliseconds: UInt64 = 75_000
    /// A request that is not complete after this time is given up.
    public var incompleteMilliseconds: UInt64 = 10_000
    /// While draining: a new connection on which nothing has come yet is kept for this time, because nginx connects only
    /// when it has something to send.
    public var freshMilliseconds: UInt64 = 500
    /// While draining: a kept connection that was used within this time is likely to be used again at once, so its next
    /// request is awaited, answered, and the connection closed with the answer. One that is idle for longer is closed.
    public var lingerMilliseconds: UInt64 = 20
    /// How long writing a large answer waits for a reader that is slow.
    public var sendMilliseconds = 2_000

    /// The defaults.
    public init() {}
}

/// What has happened in one worker's server since its start.
public struct FastCGICounts: Sendable, Hashable {
    /// Connections accepted.
    public var acceptedCount: UInt64 = 0
    /// Requests answered.
    public var answeredCount: UInt64 = 0
    /// Answers that could not be written whole because the client was gone or did not read.
    public var unsentCount: UInt64 = 0
    /// Connections closed because what came was no request (``FastCGIError``).
    public var refusedCount: UInt64 = 0
    /// Requests that came in pieces, were larger than the socket's buffer, or had padding that libfcgi would take for
    /// records.
    public var collectedCount: UInt64 = 0
    /// Requests not answered because the client had gone.
    public var abandonedCount: UInt64 = 0
    /// Idle connections closed to make room.
    public var evictedCount: UInt64 = 0
    /// Connections closed because they were idle or incomplete for too long.
    public var expiredCount: UInt64 = 0

    /// Nothing yet.
    public init() {}
}
