internal import System

/// The queue: requests that have arrived wait for their turn.
extension FastCGIServer {
    /// What happens to a request that has arrived.
    enum Admission {
        case now
        /// The handler refuses the request now, because as many requests wait as the server takes.
        case refused
        /// The request waits for its turn, by the time at which it was received.
        case queued(received: Int64)
    }

    /// Decides about a whole, well-formed request.
    func admission(of request: Span<UInt8>) -> Admission {
        guard let classifier else { return .now }
        var received: Int64?
        if let place = ParameterPairs.place(in: request) {
            switch classifier(request.extracting(place), wallMilliseconds) {
            case .prompt: return .now
            case .queued(let time): received = time
            }
        }
        guard queue.count < settings.queueLimit else { return .refused }
        return .queued(received: received ?? wallMilliseconds)
    }

    /// Answers a request now, or queues it.
    ///
    /// - Returns: true when the connection stays open.
    func take(
        _ arrived: FastCGIRequest.Arrived, _ keepsConnection: Bool, _ admission: Admission,
        on connection: Connection, _ handler: Handler
    ) -> Bool {
        var waiting = WaitingRequest(
            arrived: arrived, keepsConnection: keepsConnection, received: wallMilliseconds,
            wallMilliseconds: wallMilliseconds, monotonicNanoseconds: now)
        switch admission {
        case .now: return answer(waiting, on: connection, handler)
        case .refused: return answer(waiting, refusing: true, on: connection, handler)
        case .queued(let received):
            waiting.received = received
            connection.waiting = waiting
            queue.insert(connection, received: received)
            return true
        }
    }

    /// Answers the oldest queued request, and unless `onlyOne` the next ones, until the slice of time is over.
    func answerQueued(_ handler: Handler, onlyOne: Bool) {
        defer { counts.waitingCount = queue.count }
        guard !queue.isEmpty else { return }
        // Taking in what has arrived, and refusing some of it, has taken time as well.
        now = Clock.monotonicNanoseconds()
        let begun = now
        repeat {
            guard let connection = queue.removeFirst() else { return }
            answerWaiting(on: connection, handler)
            now = Clock.monotonicNanoseconds()
        } while !onlyOne && now - begun < settings.sliceNanoseconds
    }

    private func answerWaiting(on connection: Connection, _ handler: Handler) {
        guard let waiting = connection.waiting.take() else { return }
        let isOpen = answer(waiting, on: connection, handler)
        if connection.isFinished {
            if !connection.isAwaited { close(connection) }
        } else if !isOpen {
            // While the server drains, the next request may already have arrived after the answer.
            if isDraining { retire(connection, handler) } else { close(connection) }
        } else if !connection.isPolled {
            poll(connection)
        } else if connection.hasUnseenBytes {
            connection.hasUnseenBytes = false
            lookAgain(connection, handler)
        }
    }

    /// Forgets the queued request of a connection that is being closed.
    func forgetWaiting(on connection: Connection) {
        guard let waiting = connection.waiting.take() else { return }
        queue.forget(connection, received: waiting.received)
    }
}
