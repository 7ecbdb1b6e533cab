internal import System

/// The queue: requests that have arrived wait for their turn, and those that would wait too long are refused on
/// arrival.
extension FastCGIServer {
    /// What happens to a request that has arrived.
    enum Admission {
        /// The handler answers the request now. With a reason, the handler refuses the request.
        case now(ShedReason?)
        /// The request waits behind the `ahead` oldest requests.
        case queued(received: Int64, ahead: Int)
    }

    /// The number of requests that wait for their turn.
    public var queuedCount: Int { queue.count }

    /// How long a request that arrives now would wait for its turn.
    public var predictedWaitNanoseconds: UInt64 { predictedNanoseconds(behind: queue.count) }

    private func predictedNanoseconds(behind count: Int) -> UInt64 {
        let duration = settings.assumedServiceNanoseconds ?? service.average
        let (wait, overflow) = duration.multipliedReportingOverflow(by: UInt64(count))
        return overflow ? .max : wait
    }

    /// How much longer a request would wait here than in the least busy of the other workers, in nanoseconds; 0 when it
    /// would not, or when there is no other worker.
    func excessWait() -> UInt64 {
        let own = predictedWaitNanoseconds
        guard own > Self.tolerableExcess, let least = leastWaitElsewhere(backlog.neglectedSince)
        else { return 0 }
        let other = least.multipliedReportingOverflow(by: 1000)
        return other.overflow || other.partialValue >= own ? 0 : own - other.partialValue
    }

    /// Workers whose waits differ by less count as equally busy. It is more than the slices of time and of the
    /// scheduler.
    static let tolerableExcess: UInt64 = 20_000_000

    /// Decides about a whole, well-formed request.
    func admission(of request: Span<UInt8>) -> Admission {
        guard let classifier else { return .now(nil) }
        var received: Int64?
        if let place = ParameterPairs.place(in: request) {
            switch classifier(request.extracting(place), wallMilliseconds) {
            case .prompt: return .now(nil)
            case .queued(let time): received = time
            }
        }
        guard queue.count < settings.queueLimit else { return .now(.queueFull) }
        let time = received ?? wallMilliseconds
        let ahead = queue.countAhead(ofReceived: time)
        guard predictedNanoseconds(behind: ahead) <= settings.queueMilliseconds * 1_000_000 else {
            return .now(.wait)
        }
        return .queued(received: time, ahead: ahead)
    }

    /// Answers a request now, or queues it.
    ///
    /// - Returns: true when the connection stays open.
    func take(
        _ arrived: FastCGIRequest.Arrived,
        _ keepsConnection: Bool,
        _ admission: Admission,
        on connection: Connection,
        _ handler: Handler
    ) -> Bool {
        var waiting = WaitingRequest(
            arrived: arrived,
            keepsConnection: keepsConnection,
            received: wallMilliseconds,
            wallMilliseconds: wallMilliseconds,
            monotonicNanoseconds: now
        )
        switch admission {
        case .now(let reason): return answer(waiting, shedding: reason, on: connection, handler)
        case .queued(let received, let ahead):
            waiting.received = received
            connection.waiting = waiting
            queue.insert(connection, received: received, behind: ahead)
            return true
        }
    }

    /// Answers queued requests, the oldest first, until the slice of time is over, and measures how long one takes.
    func answerQueued(_ handler: Handler) {
        guard !queue.isEmpty else {
            busySince = nil
            return
        }
        // Taking in what has arrived, and refusing some of it, has taken time as well.
        let looked = now
        now = Clock.monotonicNanoseconds()
        let begun = now
        let slice = max(settings.sliceNanoseconds, settings.answeringShare * (begun - looked))
        var count = 0
        // A worker that has more than its share gives connections away: nginx makes new ones, and others accept those.
        givesAway = excessWait() > Self.tolerableExcess
        while now - begun < slice || count == 0, let connection = queue.removeFirst() {
            answerWaiting(on: connection, handler)
            count += 1
            now = Clock.monotonicNanoseconds()
        }
        if count > 0 { service.note(count: count, nanoseconds: now - (busySince ?? looked)) }
        busySince = queue.isEmpty ? nil : now
    }

    private func answerWaiting(on connection: Connection, _ handler: Handler) {
        guard let waiting = connection.waiting.take() else { return }
        let isOpen = answer(waiting, shedding: nil, on: connection, handler)
        if connection.isFinished {
            if !connection.isAwaited { close(connection) }
        } else if !isOpen {
            // While the server drains, the next request may already have arrived after the answer.
            if isDraining { retire(connection, handler) } else { close(connection) }
        } else if givesAway, !connection.isAwaited {
            retire(connection, handler)
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
