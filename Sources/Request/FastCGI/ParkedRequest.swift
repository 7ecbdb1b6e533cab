/// The ticket of a request whose answer comes later. ``FastCGIRequest/park()`` makes it, and
/// ``FastCGIServer/answer(_:with:)`` takes it.
///
/// Every ticket must be used once, also when the client is gone by then: until then the request counts against the
/// limits of ``FastCGISettings``.
public struct ParkedRequest: Sendable, Hashable {
    /// A number that no other request of the server has.
    let number: UInt64
}

/// What a connection needs while its request waits for its answer.
struct ParkedPlace {
    /// Where the answer comes from.
    enum Answer {
        /// A call of ``FastCGIServer/answer(_:with:)`` with this ticket.
        case ticket(ParkedRequest)
        /// The answer is known. The server sends it at this time, in nanoseconds of the monotonic clock.
        case delayed(GatewayResponse, dueAt: UInt64)
    }

    let answer: Answer
    /// The object with which libfcgi has read the request. libfcgi needs it to write the answer.
    let libfcgi: LibraryRequest
    /// True when the connection can take another request after the answer.
    let keepsConnection: Bool

    /// True when the server has the answer already, so that it can send the answer early.
    var isDelayed: Bool {
        if case .delayed = answer { true } else { false }
    }
}

/// The requests of a server that wait for ``FastCGIServer/answer(_:with:)``.
struct ParkedRequests {
    private struct Entry {
        /// Nil when the client has gone.
        var connection: Connection?
        let byteCount: Int
    }

    private var entries: [ParkedRequest: Entry] = [:]
    private var lastNumber: UInt64 = 0
    /// The bytes of the bodies of all parked requests, together.
    private(set) var byteCount = 0

    /// The number of parked requests, those of clients that have gone included.
    var count: Int { entries.count }

    /// Returns the ticket for the next request, or nil when a request with a body of `bodyByteCount` bytes is above the
    /// limits.
    func ticket(bodyByteCount: Int, _ settings: FastCGISettings) -> ParkedRequest? {
        // One connection is always left that may be closed for a new one.
        let limit = min(settings.parkedCountLimit, settings.connectionCountLimit - 1)
        guard count < limit, byteCount + bodyByteCount <= settings.parkedByteCountLimit else { return nil }
        return ParkedRequest(number: lastNumber &+ 1)
    }

    /// Keeps the connection of a request.
    mutating func insert(_ request: ParkedRequest, on connection: Connection, byteCount: Int) {
        lastNumber = request.number
        entries[request] = Entry(connection: connection, byteCount: byteCount)
        self.byteCount += byteCount
    }

    /// Forgets the connection of a request whose client has gone.
    mutating func forgetConnection(of request: ParkedRequest) {
        entries[request]?.connection = nil
    }

    /// Removes a request. Returns its connection, or nil when the client has gone or the request is not parked.
    mutating func take(_ request: ParkedRequest) -> Connection? {
        guard let entry = entries.removeValue(forKey: request) else { return nil }
        byteCount -= entry.byteCount
        return entry.connection
    }
}
