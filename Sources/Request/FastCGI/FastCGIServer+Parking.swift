internal import System

/// Answers that come later: those to parked requests, and those with a delay (``GatewayResponse/delayMilliseconds``).
extension FastCGIServer {
    /// The longest delay: an hour.
    private static let longestDelayMilliseconds: UInt64 = 3_600_000

    /// The number of parked requests. One whose client has gone counts until ``answer(_:with:)`` is called for it.
    public var parkedCount: Int { parked.count }

    /// The bytes of the bodies of all parked requests, together.
    public var parkedByteCount: Int { parked.byteCount }

    /// Answers a parked request. Call it on the server's thread, between turns or in a handler. The requests may be
    /// answered in any order, each once.
    ///
    /// - Returns: true when the answer was sent, or is sent as fast as the client reads; false when the client had gone.
    @discardableResult
    public func answer(_ request: ParkedRequest, with response: GatewayResponse) -> Bool {
        guard let connection = parked.take(request) else { return false }
        now = Clock.monotonicNanoseconds()
        let sent = sendLate(response, on: connection)
        if connection.unsent != nil { return true }
        guard sent.isSent, sent.keepsConnection else {
            close(connection)
            return sent.isSent
        }
        // What arrived in between has no event of its own any more.
        switch connection.peek(into: &peeked) {
        case .nothing: break
        case .end: close(connection)
        case .bytes: unread.append(connection)
        }
        return true
    }

    /// The time until the next delayed answer must be sent, rounded up to milliseconds; nil when no answer waits for
    /// its time. 0 when bytes on a connection wait to be looked at.
    var nextDueMilliseconds: Int32? {
        guard unread.isEmpty else { return 0 }
        let times = delayed.compactMap { connection in
            if case .delayed(_, let dueAt) = connection.parked?.answer { dueAt } else { nil }
        }
        guard let due = times.min() else { return nil }
        let now = Clock.monotonicNanoseconds()
        return due > now ? Int32(clamping: (due - now + 999_999) / 1_000_000) : 0
    }

    /// Lets a connection wait until ``answer(_:with:)`` is called.
    func park(_ request: ParkedRequest, _ waiting: WaitingRequest, on connection: Connection) {
        guard let next = spares.popLast() else { preconditionFailure("a ticket without a spare object") }
        parked.insert(request, on: connection, byteCount: waiting.arrived.bodyByteCount)
        park(.ticket(request), on: connection, keepsConnection: waiting.keepsConnection, next: next)
        counts.parkedCount += 1
    }

    /// Returns the ticket for a request with a body of this length; nil when there is no room.
    func ticket(bodyByteCount: Int) -> ParkedRequest? {
        guard settings.parkedCountLimit > 0,
            let ticket = parked.ticket(bodyByteCount: bodyByteCount, settings)
        else { return nil }
        if spares.isEmpty {
            guard let spare = try? LibraryRequest() else { return nil }
            spares.append(spare)
        }
        return ticket
    }

    /// Keeps an answer until its time has come.
    ///
    /// - Returns: false when the answer must be sent now, because the server is draining or libfcgi has no memory.
    func delay(_ response: GatewayResponse, on connection: Connection, keepsConnection: Bool) -> Bool {
        guard !isDraining, let next = spares.popLast() ?? (try? LibraryRequest()) else { return false }
        let delay = min(response.delayMilliseconds, Self.longestDelayMilliseconds)
        let answer = ParkedPlace.Answer.delayed(response, dueAt: now + delay * 1_000_000)
        park(answer, on: connection, keepsConnection: keepsConnection, next: next)
        delayed.append(connection)
        return true
    }

    /// The next requests are read with the object `next` of libfcgi, because the present one has to write the answer.
    private func park(
        _ answer: ParkedPlace.Answer, on connection: Connection, keepsConnection: Bool, next: LibraryRequest
    ) {
        libfcgi.giveBody(to: next)
        connection.finishRequest(at: now)
        connection.parked = ParkedPlace(answer: answer, libfcgi: libfcgi, keepsConnection: keepsConnection)
        libfcgi = next
    }

    /// Sends the delayed answers whose time has come, and answers what has arrived on connections whose request was
    /// parked.
    func sendDueAnswers(_ handler: Handler) {
        for connection in delayed {
            guard case .delayed(_, let dueAt) = connection.parked?.answer, dueAt <= now else { continue }
            if !sendDelayedAnswer(on: connection) || !answerArrived(on: connection, handler) {
                close(connection)
            }
        }
        guard !unread.isEmpty else { return }
        let connections = unread
        unread = []
        for connection in connections where table.contains(connection) && connection.parked == nil {
            lookAgain(connection, handler)
        }
    }

    /// Sends the delayed answer of a connection at once.
    ///
    /// - Returns: true when the connection can take another request after the answer.
    func sendDelayedAnswer(on connection: Connection) -> Bool {
        guard case .delayed(let response, _) = connection.parked?.answer else { return false }
        delayed.removeAll { $0 === connection }
        let sent = sendLate(response, on: connection)
        return connection.unsent != nil || sent.isSent && sent.keepsConnection
    }

    /// Forgets what waits on a connection that is being closed.
    func forgetParked(on connection: Connection) {
        guard let place = connection.parked.take() else { return }
        switch place.answer {
        case .ticket(let request): parked.forgetConnection(of: request)
        case .delayed: delayed.removeAll { $0 === connection }
        }
        place.libfcgi.abandon()
        keepSpare(place.libfcgi)
    }

    /// Sends an answer to the request that waits on a connection.
    ///
    /// - Returns: true when nothing failed, and true when the client keeps the connection.
    private func sendLate(_ response: GatewayResponse, on connection: Connection) -> (
        isSent: Bool, keepsConnection: Bool
    ) {
        guard let place = connection.parked.take() else { return (false, false) }
        connection.since = now
        let isSent = send(
            response, with: place.libfcgi, on: connection, keepsConnection: place.keepsConnection)
        keepSpare(place.libfcgi)
        return (isSent, place.keepsConnection)
    }

    private func keepSpare(_ libfcgi: LibraryRequest) {
        if spares.count < FastCGILimits.spareCount { spares.append(libfcgi) }
    }
}
