internal import System

extension FastCGIServer {
    /// The number of parked requests. One whose client has gone counts until ``answer(_:with:)`` is called for it.
    public var parkedCount: Int { parked.count }

    /// Answers a parked request. Call it on the server's thread, between turns or in a handler. The requests may be answered
    /// in any order, each once. Returns true when the answer was sent, or is sent as fast as the client reads; false when
    /// the client had gone.
    @discardableResult
    public func answer(_ request: ParkedRequest, with response: GatewayResponse) -> Bool {
        guard let connection = parked.take(request) else { return false }
        now = Clock.monotonicNanoseconds()
        guard let place = connection.parked.take() else { return false }
        connection.since = now
        let isSent = send(
            response, with: place.libfcgi, on: connection, keepsConnection: place.keepsConnection)
        if connection.unsent != nil { return true }
        guard isSent, place.keepsConnection else {
            close(connection)
            return isSent
        }
        // What arrived in between has no event of its own any more.
        switch connection.peek(into: &peeked) {
        case .nothing: break
        case .end: close(connection)
        case .bytes: unread.append(connection)
        }
        return true
    }

    func park(_ request: ParkedRequest, _ waiting: WaitingRequest, on connection: Connection) {
        guard let next = try? LibraryRequest() else { preconditionFailure("libfcgi has started") }
        parked.insert(request, on: connection, byteCount: waiting.arrived.bodyByteCount)
        // The next requests are read with another object of libfcgi, because the present one has to write the answer.
        connection.finishRequest(at: now)
        connection.parked = ParkedPlace(
            request: request, libfcgi: libfcgi, keepsConnection: waiting.keepsConnection)
        libfcgi = next
        counts.parkedCount += 1
    }

    func ticket(bodyByteCount: Int) -> ParkedRequest? {
        parked.ticket(bodyByteCount: bodyByteCount, settings)
    }

    func readUnread(_ handler: Handler) {
        let connections = unread
        unread = []
        for connection in connections where table.contains(connection) && connection.parked == nil {
            lookAgain(connection, handler)
        }
    }

    func forgetParked(on connection: Connection) {
        guard let place = connection.parked.take() else { return }
        parked.forgetConnection(of: place.request)
        place.libfcgi.abandon()
    }
}

/// The ticket of a request whose answer comes later. ``FastCGIRequest/park()`` makes it, and
/// ``FastCGIServer/answer(_:with:)`` takes it.
///
/// Every ticket must be used once, also when the client is gone by then: until then the request counts against the
/// limits of ``FastCGISettings``.
public struct ParkedRequest: Sendable, Hashable {
    let number: UInt64
}

struct ParkedPlace {
    let request: ParkedRequest
    let libfcgi: LibraryRequest
    let keepsConnection: Bool
}

/// The requests of a server that wait for ``FastCGIServer/answer(_:with:)``.
struct ParkedRequests {
    private struct Entry {
        var connection: Connection?
        let byteCount: Int
    }

    private var entries: [ParkedRequest: Entry] = [:]
    private var lastNumber: UInt64 = 0
    private(set) var byteCount = 0

    var count: Int { entries.count }

    func ticket(bodyByteCount: Int, _ settings: FastCGISettings) -> ParkedRequest? {
        // One connection is always left that may be closed for a new one.
        let limit = min(settings.parkedCountLimit, settings.connectionCountLimit - 1)
        guard count < limit, byteCount + bodyByteCount <= settings.parkedByteCountLimit else { return nil }
        return ParkedRequest(number: lastNumber &+ 1)
    }

    mutating func insert(_ request: ParkedRequest, on connection: Connection, byteCount: Int) {
        lastNumber = request.number
        entries[request] = Entry(connection: connection, byteCount: byteCount)
        self.byteCount += byteCount
    }

    mutating func forgetConnection(of request: ParkedRequest) {
        entries[request]?.connection = nil
    }

    mutating func take(_ request: ParkedRequest) -> Connection? {
        guard let entry = entries.removeValue(forKey: request) else { return nil }
        byteCount -= entry.byteCount
        return entry.connection
    }
}

/// One request that came over FastCGI. It has arrived completely before the handler gets it.
public struct FastCGIRequest: GatewayRequest, ~Copyable {
    public let acceptedWallMilliseconds: Int64
    public let acceptedMonotonicNanoseconds: UInt64
    public let isOverloaded: Bool
    private let libfcgi: LibraryRequest
    private let arrived: Arrived
    private var reading: BodyReading?
    private let ticket: ParkedRequest?
    private(set) var parked: ParkedRequest?

    struct Arrived {
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

    public borrowing func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result)
        -> Result
    {
        libfcgi.withParameter(name, body)
    }

    public mutating func readBody(limitBytes: Int) -> BodyReading {
        if let reading { return reading }
        let result = read(limitBytes: limitBytes)
        reading = result
        return result
    }

    public borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard case .complete(let byteCount) = reading else {
            return try libfcgi.withBody(byteCount: 0, body)
        }
        return try libfcgi.withBody(byteCount: byteCount, body)
    }

    /// Lets the answer come later: the handler returns nil, and ``FastCGIServer/answer(_:with:)`` answers. Take from the
    /// request all that is needed before, because it ends with the handler. Returns the ticket for the answer; nil when too
    /// many requests or too many bytes are parked, so that the handler has to answer now.
    public mutating func park() -> ParkedRequest? {
        parked = ticket
        return ticket
    }

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

/// Answers on their way to the client. A small answer fits into the socket. The rest of a large one waits until the client
/// has taken what was sent before; the server answers other requests meanwhile.
extension FastCGIServer {
    /// Lets libfcgi write an answer through the object with which it has read the request. When the client takes only a part
    /// of it now, ``Connection/unsent`` has the rest. Returns false when the answer could not be written.
    func send(
        _ response: GatewayResponse, with libfcgi: LibraryRequest, on connection: Connection,
        keepsConnection: Bool
    ) -> Bool {
        let begun = sendObserver == nil ? 0 : Clock.monotonicNanoseconds()
        let isSent =
            if response.body.count <= FastCGILimits.unhurriedResponseByteCount {
                libfcgi.finish(response, writing: connection.number)
            } else if let bytes = records(of: response, with: libfcgi) {
                start(UnsentAnswer(bytes: bytes, keepsConnection: keepsConnection), on: connection)
            } else {
                false
            }
        counts.answeredCount += 1
        if !isSent { counts.unsentCount += 1 }
        sendObserver?(Clock.monotonicNanoseconds() &- begun)
        return isSent
    }

    func sendOn(_ connection: Connection, _ handler: Handler) {
        guard let keepsConnection = connection.unsent?.keepsConnection else { return }
        guard sendRest(on: connection) else {
            counts.unsentCount += 1
            close(connection)
            return
        }
        guard connection.unsent == nil else { return }
        connection.since = now
        guard keepsConnection, !connection.isFinished, changeInterest(of: connection) else {
            close(connection)
            return
        }
        // The events of what has arrived meanwhile are gone.
        connection.hasUnseenBytes = false
        lookAgain(connection, handler)
    }

    /// Closes a connection whose client has read nothing of its answer for too long. The kernel reports room only when most of
    /// the socket's buffer is free, so a slow client may have read something all the same.
    func giveUpAnswer(on connection: Connection, _ handler: Handler) {
        let before = connection.unsent?.sentCount
        sendOn(connection, handler)
        guard let unsent = connection.unsent, unsent.sentCount == before else { return }
        counts.unsentCount += 1
        close(connection)
    }

    func forgetUnsent(on connection: Connection) {
        guard let unsent = connection.unsent.take() else { return }
        unsentByteCount -= unsent.bytes.count
    }

    private func records(of response: GatewayResponse, with libfcgi: LibraryRequest) -> [UInt8]? {
        do throws(SystemCallError) {
            let nothing: [UInt8] = []
            let file = try ScratchFile.make(nothing.span, reusing: scratch.take())
            let isWhole = libfcgi.finish(response, writing: file.number)
            let bytes = try ScratchFile.takeBytes(of: file)
            scratch = consume file
            return isWhole ? bytes : nil
        } catch {
            libfcgi.abandon()
            return nil
        }
    }

    private func start(_ answer: UnsentAnswer, on connection: Connection) -> Bool {
        unsentByteCount += answer.bytes.count
        connection.unsent = answer
        connection.since = now
        guard sendRest(on: connection) else {
            forgetUnsent(on: connection)
            return false
        }
        guard connection.unsent != nil else { return true }
        makeRoom(besides: connection)
        guard changeInterest(of: connection) else {
            forgetUnsent(on: connection)
            return false
        }
        return true
    }

    /// Gives up other large answers while all together have too many bytes: first the one of which its client has taken
    /// nothing for longest. So clients that do not read cannot take the place of those that do.
    private func makeRoom(besides newest: Connection) {
        while unsentByteCount > FastCGILimits.unsentByteCountInAll,
            let slowest = table.longestUnsent(besides: newest)
        {
            counts.unsentCount += 1
            close(slowest)
        }
    }

    private func sendRest(on connection: Connection) -> Bool {
        while let unsent = connection.unsent {
            switch connection.send(unsent.bytes.span.extracting(droppingFirst: unsent.sentCount)) {
            case .bytes(let count):
                connection.since = now
                connection.unsent?.sentCount += count
                if unsent.sentCount + count == unsent.bytes.count { forgetUnsent(on: connection) }
            case .full: return true
            case .gone: return false
            }
        }
        return true
    }

    /// Lets the poll report when the client has made room, or not any more. Returns false when the kernel has no memory.
    private func changeInterest(of connection: Connection) -> Bool {
        // The poll learns the interest of a new connection when it gets the connection.
        guard connection.isPolled else { return true }
        do {
            try poll.change(connection.number, token: connection.token, interest: connection.interest)
            return true
        } catch {
            return false
        }
    }
}

struct UnsentAnswer {
    let bytes: [UInt8]
    var sentCount = 0
    let keepsConnection: Bool
}
