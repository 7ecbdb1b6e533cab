/// One request that came over FastCGI. It has arrived completely before the handler gets it.
public struct FastCGIRequest: GatewayRequest, ~Copyable {
    /// When this process learned of the request, in milliseconds since 1970-01-01T00:00:00Z.
    public let acceptedWallMilliseconds: Int64
    /// The same moment in nanoseconds of the monotonic clock.
    public let acceptedMonotonicNanoseconds: UInt64

    /// True when the request is to be refused without work, because as many requests wait as the server takes.
    public let isOverloaded: Bool

    private let libfcgi: LibraryRequest
    private let arrived: Arrived
    private var reading: BodyReading?
    /// The ticket that ``park()`` returns; nil when there is no room.
    private let ticket: ParkedRequest?
    /// The ticket that ``park()`` has returned.
    private(set) var parked: ParkedRequest?

    /// The facts about the body that the framing check found.
    struct Arrived {
        /// The number of bytes of body that the client sent.
        let bodyByteCount: Int
        /// True when the body was kept; false when it was longer than ``FastCGISettings/bodyByteCount``.
        let isBodyKept: Bool
    }

    init(
        libfcgi: LibraryRequest, arrived: Arrived, ticket: ParkedRequest?, isOverloaded: Bool = false,
        wallMilliseconds: Int64, monotonicNanoseconds: UInt64
    ) {
        self.libfcgi = libfcgi
        self.arrived = arrived
        self.ticket = ticket
        self.isOverloaded = isOverloaded
        acceptedWallMilliseconds = wallMilliseconds
        acceptedMonotonicNanoseconds = monotonicNanoseconds
    }

    /// Lends the value of a parameter; nil when it is absent. If several parameters have the same name, lends the
    /// first.
    public borrowing func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result)
        -> Result
    {
        libfcgi.withParameter(name, body)
    }

    /// Reads the body into memory if it has at most `limitBytes`. A second call returns the result of the first.
    public mutating func readBody(limitBytes: Int) -> BodyReading {
        if let reading { return reading }
        let result = read(limitBytes: limitBytes)
        reading = result
        return result
    }

    /// Lends the body that ``readBody(limitBytes:)`` found complete; in all other cases lends no bytes.
    public borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard case .complete(let byteCount) = reading else {
            return try libfcgi.withBody(byteCount: 0, body)
        }
        return try libfcgi.withBody(byteCount: byteCount, body)
    }

    /// Lets the answer come later: the handler returns nil, and ``FastCGIServer/answer(_:with:)`` answers. Take from
    /// the request all that is needed before, because it ends with the handler.
    ///
    /// - Returns: the ticket for the answer; nil when too many requests or too many bytes are parked, so that the
    ///   handler has to answer now.
    public mutating func park() -> ParkedRequest? {
        parked = ticket
        return ticket
    }

    /// True when the body was read to its end, so that the connection has no more bytes of it.
    var isBodyRead: Bool {
        if case .complete = reading { return true }
        return false
    }

    private borrowing func read(limitBytes: Int) -> BodyReading {
        guard arrived.isBodyKept, arrived.bodyByteCount <= limitBytes else { return .tooLarge }
        switch declaredBodyLength() {
        case .absent: break
        case .bytes(arrived.bodyByteCount): break
        case .bytes(let declared) where declared > limitBytes: return .tooLarge
        case .bytes, .malformed: return .incomplete
        }
        guard libfcgi.readBody(byteCount: arrived.bodyByteCount) == arrived.bodyByteCount else {
            return .aborted
        }
        return .complete(byteCount: arrived.bodyByteCount)
    }
}
