public import System

/// How many connections one worker keeps open, and for how long. Times are in milliseconds.
public struct FastCGISettings: Sendable {
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
    /// While draining: a kept connection that was used within this time is likely to be used again at once. The server waits
    /// for its next request, answers it and then closes the connection. It closes a connection that is idle for longer.
    public var lingerMilliseconds: UInt64 = 20
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
    public var bodyByteCount = FastCGILimits.bodyByteCount

    var readByteCount: Int { max(FastCGILimits.discardedByteCount, bodyByteCount) }
    var queueLimit: Int { min(queueCountLimit, connectionCountLimit - 1) }
    var keptByteCountInAll: Int { max(FastCGILimits.keptByteCountInAll, 4 * bodyByteCount) }

    public init() {}
}

/// The counts of one worker's server since its start.
public struct FastCGICounts: Sendable, Hashable {
    public var acceptedCount: UInt64 = 0
    public var answeredCount: UInt64 = 0
    public var parkedCount: UInt64 = 0
    public var unsentCount: UInt64 = 0
    public var refusedCount: UInt64 = 0
    /// Requests given up because the incomplete requests on all connections together had more bytes than the server keeps.
    public var crowdedOutCount: UInt64 = 0
    public var abandonedCount: UInt64 = 0
    public var waitingCount = 0

    public init() {}
}

public enum FastCGILimits {
    /// The most bytes of parameters in one request. nginx sends about 1.5 KB with its stock `fastcgi_params`, and its
    /// own header buffers (`large_client_header_buffers`) end at 32 KB.
    public static let parameterByteCount = 65_536
    /// The most parameters in one request: nginx's 25, and one for each header of the client.
    public static let parameterCount = 512
    /// The most bytes of a body that are kept for the handler, unless ``FastCGISettings/bodyByteCount`` says otherwise:
    /// twice the largest endpoint's limit, so that the endpoint and not this module answers 413.
    public static let bodyByteCount = 1 << 20
    /// The most bytes of a body that the server reads and throws away so that it can send a 413. It closes the
    /// connection of a longer body. A server that keeps longer bodies reads as many bytes as it keeps.
    public static let discardedByteCount = 16 << 20
    /// Returns the most bytes of one request, with headers and padding: twice the most bytes of its body. Without this
    /// limit, a body of one byte in each record, each with 255 bytes of padding, would keep a worker reading for 4 GB.
    public static func requestByteCount(bodyByteCount: Int) -> Int { 2 * bodyByteCount }
    /// The most bytes of incomplete requests that one worker keeps, parameters and bodies, on all connections together.
    /// A server that keeps bodies of more than a quarter of this limit keeps the bytes of four such bodies.
    public static let keptByteCountInAll = 32 << 20
    /// How many bytes one look at a connection can show. A unix socket holds about 220 KB (wmem_default). Measured: one
    /// look shows a body of 64 KiB whole, but not one of 512 KiB.
    static let peekByteCount = 262_144
    /// The largest response that libfcgi writes into the socket. It fits into the socket's buffer of about 100 records
    /// even when the other side reads nothing of it.
    static let unhurriedResponseByteCount = 32_768
    /// The most bytes of larger answers that wait for their clients, on all connections together. Above that the server
    /// gives up the answer of which its client has taken nothing for longest. The newest one may be larger.
    static let unsentByteCountInAll = 32 << 20
}

public enum FastCGIError: CodedError, Hashable {
    case libfcgiRefused(Int32)
    case system(SystemCallError)

    public var code: String {
        switch self {
        case .libfcgiRefused: "fastcgi.libfcgi-refused"
        case .system(let error): error.code
        }
    }
}
