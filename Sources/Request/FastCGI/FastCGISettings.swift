/// How many connections one worker keeps open, and for how long. Times are in milliseconds.
public struct FastCGISettings: Sendable, Hashable {
    /// The most open connections. To open one more, the server closes the connection that has been idle for longest.
    /// The default is well under the usual limit of 1,024 descriptors in a process.
    public var connectionCountLimit = 768
    /// The time after which an idle connection is closed. It is longer than nginx's default `keepalive_timeout` (60 s),
    /// so that nginx closes first: nginx knows what it is about to send.
    public var idleMilliseconds: UInt64 = 75_000
    /// The time after which the server gives up a request that is not complete.
    public var incompleteMilliseconds: UInt64 = 10_000
    /// While draining: the time for which a new connection stays open although nothing has arrived on it. nginx
    /// connects only when it has something to send.
    public var freshMilliseconds: UInt64 = 500
    /// While draining: a kept connection that was used within this time is likely to be used again at once. The server
    /// waits for its next request, answers it and then closes the connection. It closes a connection that is idle for
    /// longer.
    public var lingerMilliseconds: UInt64 = 20
    /// How long a large answer waits for a client that reads nothing of it.
    public var sendMilliseconds: UInt64 = 2_000
    /// The most requests that are parked at a time (``FastCGIRequest/park()``). A handler gets no ticket for a further
    /// one. At most one less than ``connectionCountLimit`` are parked.
    public var parkedCountLimit = 0
    /// The most bytes of bodies of parked requests, together. The server keeps no body of a parked request; the limit
    /// bounds what the handlers have taken from them.
    public var parkedByteCountLimit = 32 << 20
    /// The most requests that wait for their turn. Always fewer than ``connectionCountLimit``, so that a connection is
    /// left that may be closed for a new one.
    public var queueCountLimit = 8_192
    /// How long the server answers queued requests before it looks for new arrivals.
    public var sliceNanoseconds: UInt64 = 1_000_000
    /// The most bytes of a body that are kept for the handler. A value below ``FastCGILimits/bodyByteCount`` or above
    /// ``FastCGILimits/bodyByteCountCeiling`` is replaced by that limit.
    public var bodyByteCount = FastCGILimits.bodyByteCount {
        didSet {
            bodyByteCount = min(
                max(bodyByteCount, FastCGILimits.bodyByteCount), FastCGILimits.bodyByteCountCeiling)
        }
    }

    /// The most bytes of a body that the server reads.
    var readByteCount: Int { max(FastCGILimits.discardedByteCount, bodyByteCount) }

    /// The number of queued requests at which further ones are refused.
    var queueLimit: Int { min(queueCountLimit, connectionCountLimit - 1) }

    /// The most bytes of incomplete requests that the server keeps.
    var keptByteCountInAll: Int { max(FastCGILimits.keptByteCountInAll, 4 * bodyByteCount) }

    /// Makes the default settings.
    public init() {}
}

/// The counts of one worker's server since its start.
public struct FastCGICounts: Sendable, Hashable {
    /// Connections that the server accepted.
    public var acceptedCount: UInt64 = 0
    /// Requests that the server answered.
    public var answeredCount: UInt64 = 0
    /// Requests that a handler has parked. Each is also counted once it is answered.
    public var parkedCount: UInt64 = 0
    /// Answers that the server could not write whole, because the client was gone or did not read.
    public var unsentCount: UInt64 = 0
    /// Connections closed because the bytes were not an acceptable request (``FastCGIError``).
    public var refusedCount: UInt64 = 0
    /// Requests that the server collected: they came in pieces, were larger than the socket's buffer, or had padding
    /// that libfcgi would take for records.
    public var collectedCount: UInt64 = 0
    /// Requests given up because the incomplete requests on all connections together had more bytes than the server
    /// keeps.
    public var crowdedOutCount: UInt64 = 0
    /// Requests not answered because the client had gone.
    public var abandonedCount: UInt64 = 0
    /// Idle connections closed to make room.
    public var evictedCount: UInt64 = 0
    /// Connections closed because they were idle or incomplete for too long.
    public var expiredCount: UInt64 = 0
    /// Requests that wait for their turn now.
    public var waitingCount = 0

    public init() {}
}
