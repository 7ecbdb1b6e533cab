internal import System

extension FastCGIServer {
    public typealias Handler = (inout FastCGIRequest) -> GatewayResponse?

    /// Takes in a request that lies in the socket whole and without padding: answers it, or queues it. For any other
    /// request, starts or continues to collect its bytes. Returns true when the connection stays open.
    func answerArrived(on connection: Connection, _ handler: Handler) -> Bool {
        if connection.parked != nil { return true }
        if connection.waiting != nil || connection.unsent != nil {
            connection.hasUnseenBytes = true
            return true
        }
        if connection.collected != nil { return collect(on: connection, handler) }
        switch connection.peek(into: &peeked) {
        case .end: return false
        case .nothing: return true
        case .bytes(let count):
            var check = FramingCheck(bodyByteCountLimit: settings.readByteCount)
            switch check.consume(peeked.span.extracting(first: count)) {
            case .complete:
                // Bytes that arrive after this look may come into libfcgi's buffer together with the last bytes of the
                // request. libfcgi stops parsing at the end of the body, which it always reads, and frees the buffer
                // with the request. So nothing parses these bytes, and a client that does not wait for its answer loses
                // them. Bytes of them that are still in the socket are checked like the beginning of any request. A
                // connection never has two clients.
                let arrived = FastCGIRequest.Arrived(bodyByteCount: check.bodyByteCount, isBodyKept: true)
                let admission = admission(of: peeked.span.extracting(first: count))
                return take(arrived, check.keepsConnection, admission, on: connection, handler)
            case .incomplete, .padded:
                counts.collectedCount += 1
                connection.startCollecting(at: now, settings)
                return collect(on: connection, handler)
            case .refused:
                counts.refusedCount += 1
                return false
            }
        }
    }

    /// Answers the request that has arrived, and closes the connection. A parked or
    /// queued request keeps its connection until it is answered, and an answer until the client has taken it.
    func retire(_ connection: Connection, _ handler: Handler) {
        connection.shutDownReading()
        _ = answerArrived(on: connection, handler)
        if connection.unsent != nil { connection.isFinished = true }
        if !connection.isAwaited { close(connection) }
    }

    func lookAgain(_ connection: Connection, _ handler: Handler) {
        guard !answerArrived(on: connection, handler) else { return }
        // While the server drains, the next request may already have arrived after the answer.
        if isDraining { retire(connection, handler) } else { close(connection) }
    }

    func close(_ connection: Connection) {
        // The bytes before the end of a connection can have closed it.
        guard table.contains(connection) else { return }
        forgetParked(on: connection)
        forgetWaiting(on: connection)
        forgetUnsent(on: connection)
        keptByteCount -= connection.keptByteCount
        table.remove(connection)
    }

    /// Takes all bytes that have arrived of a request that is being collected, and answers or queues the request when it is
    /// whole. Returns true when the connection stays open.
    private func collect(on connection: Connection, _ handler: Handler) -> Bool {
        while true {
            switch connection.receive(into: &peeked) {
            case .nothing: return true
            case .end:
                counts.abandonedCount += 1
                return false
            case .bytes(let count):
                let before = connection.keptByteCount
                guard let verdict = connection.collected?.consume(peeked.span.extracting(first: count))
                else { return false }
                keptByteCount += connection.keptByteCount - before
                switch verdict {
                case .incomplete:
                    guard keptByteCount <= settings.keptByteCountInAll else {
                        counts.crowdedOutCount += 1
                        return false
                    }
                case .complete, .padded:
                    guard let check = connection.collected, let plain = check.plain else { return false }
                    let arrived = FastCGIRequest.Arrived(
                        bodyByteCount: check.bodyByteCount, isBodyKept: !plain.isCut)
                    let admission = admission(of: plain.bytes.span)
                    return take(arrived, check.keepsConnection, admission, on: connection, handler)
                case .refused:
                    counts.refusedCount += 1
                    return false
                }
            }
        }
    }

    /// Lets libfcgi read a whole request: from the socket, or from a file in memory with its rewritten bytes. The handler
    /// answers it, and libfcgi writes the answer to the connection, now or later. Returns true when the connection stays
    /// open: it can take another request, or its answer is sent later.
    func answer(
        _ waiting: WaitingRequest, refusing isOverloaded: Bool = false, on connection: Connection,
        _ handler: Handler
    ) -> Bool {
        // While libfcgi reads from the file, it is not in `scratch`: the handler may send a large answer to a parked
        // request.
        var file: FileDescriptor?
        var number = connection.number
        if let plain = connection.collected?.plain {
            do throws(SystemCallError) {
                let filled = try ScratchFile.make(plain.bytes.span, reusing: scratch.take())
                number = filled.number
                file = consume filled
            } catch {
                // The kernel has no room.
                return false
            }
            keptByteCount -= connection.keptByteCount
            connection.collected = nil
        }
        do {
            try libfcgi.begin(reading: number)
        } catch {
            // libfcgi has closed the descriptor that it was given.
            if let file = file.take() { _ = file.release() } else { connection.forgetDescriptor() }
            counts.refusedCount += 1
            connection.finishRequest(at: now)
            return false
        }
        var request = FastCGIRequest(
            libfcgi: libfcgi, arrived: waiting.arrived,
            ticket: ticket(bodyByteCount: waiting.arrived.bodyByteCount), isOverloaded: isOverloaded,
            wallMilliseconds: waiting.wallMilliseconds, monotonicNanoseconds: waiting.monotonicNanoseconds)
        let response = handler(&request)
        if let file = file.take() {
            scratch = consume file
        } else if !request.isBodyRead {
            libfcgi.discardBody()
        }
        guard let response else {
            guard let ticket = request.parked else {
                preconditionFailure("a handler that returns no answer has to park the request")
            }
            park(ticket, waiting, on: connection)
            return true
        }
        let isSent = send(response, with: libfcgi, on: connection, keepsConnection: waiting.keepsConnection)
        connection.finishRequest(at: now)
        if connection.unsent != nil { return true }
        return isSent && waiting.keepsConnection && !isDraining
    }
}
