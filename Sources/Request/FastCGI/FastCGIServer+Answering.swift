internal import System

extension FastCGIServer {
    /// Answers one request, or parks it and returns nil.
    public typealias Handler = (inout FastCGIRequest) -> GatewayResponse?

    /// Answers a request that lies in the socket whole and without padding. For any other request, starts or continues
    /// to collect its bytes.
    ///
    /// - Returns: true when the connection stays open.
    func answerArrived(on connection: Connection, _ handler: Handler) -> Bool {
        if connection.parked != nil { return true }
        if let request = connection.collected { return collect(request, on: connection, handler) }
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
                return answer(
                    arrived,
                    on: connection,
                    reading: connection.number,
                    keepsConnection: check.keepsConnection,
                    handler
                )
            case .incomplete, .padded:
                counts.collectedCount += 1
                let request = connection.startCollecting(at: now, settings)
                return collect(request, on: connection, handler)
            case .refused:
                counts.refusedCount += 1
                return false
            }
        }
    }

    /// Answers the request that has arrived, sends an answer that is delayed, and closes the connection. A parked request
    /// keeps its connection until it is answered.
    func retire(_ connection: Connection, _ handler: Handler) {
        connection.shutDownReading()
        if connection.parked?.isDelayed == true {
            _ = sendDelayedAnswer(on: connection)
        } else {
            _ = answerArrived(on: connection, handler)
        }
        if connection.parked == nil { close(connection) }
    }

    /// Looks what has arrived on a connection, and answers it or closes the connection.
    func lookAgain(_ connection: Connection, _ handler: Handler) {
        guard !answerArrived(on: connection, handler) else { return }
        // While the server drains, the next request may already have arrived after the answer.
        if isDraining { retire(connection, handler) } else { close(connection) }
    }

    /// Closes a connection and removes it from the table.
    func close(_ connection: Connection) {
        forgetParked(on: connection)
        keptByteCount -= connection.keptByteCount
        table.remove(connection)
    }

    /// Takes all bytes that have arrived of a request that is being collected, and answers the request when it is
    /// whole.
    ///
    /// - Returns: true when the connection stays open.
    private func collect(
        _ request: CollectedRequest,
        on connection: Connection,
        _ handler: Handler
    ) -> Bool {
        while true {
            switch connection.receive(into: &peeked) {
            case .nothing: return true
            case .end:
                counts.abandonedCount += 1
                return false
            case .bytes(let count):
                let before = connection.keptByteCount
                let verdict = request.add(peeked.span.extracting(first: count))
                keptByteCount += connection.keptByteCount - before
                switch verdict {
                case .incomplete:
                    guard keptByteCount <= settings.keptByteCountInAll else {
                        counts.crowdedOutCount += 1
                        return false
                    }
                case .complete, .padded: return answer(request, on: connection, handler)
                case .refused:
                    counts.refusedCount += 1
                    return false
                }
            }
        }
    }

    /// Gives libfcgi the rewritten request as a file in memory. The answer goes to the connection.
    private func answer(
        _ request: CollectedRequest,
        on connection: Connection,
        _ handler: Handler
    ) -> Bool {
        let check = request.check
        let arrived = FastCGIRequest.Arrived(
            bodyByteCount: check.bodyByteCount,
            isBodyKept: !request.kept.isCut
        )
        let number: Int32
        let kept = request.kept.bytes
        do throws(SystemCallError) {
            let file = try ScratchFile.make(kept.span, reusing: scratch.take())
            number = file.number
            scratch = consume file
        } catch {
            return false
        }
        keptByteCount -= connection.keptByteCount
        connection.stopCollecting()
        return answer(
            arrived,
            on: connection,
            reading: number,
            keepsConnection: check.keepsConnection,
            handler
        )
    }

    /// Lets libfcgi read the request, the handler answer it, and libfcgi write the answer, now or later.
    ///
    /// - Returns: true when the connection stays open: it can take another request, or its answer is sent later.
    private func answer(
        _ arrived: FastCGIRequest.Arrived,
        on connection: Connection,
        reading number: Int32,
        keepsConnection: Bool,
        _ handler: Handler
    ) -> Bool {
        do {
            try libfcgi.begin(reading: number)
        } catch {
            // libfcgi has closed the descriptor that it was given.
            if number == connection.number {
                connection.forgetDescriptor()
            } else {
                _ = scratch.take()?.release()
            }
            counts.refusedCount += 1
            connection.finishRequest(at: now)
            return false
        }
        var request = FastCGIRequest(
            libfcgi: libfcgi,
            arrived: arrived,
            ticket: ticket(bodyByteCount: arrived.bodyByteCount),
            wallMilliseconds: wallMilliseconds,
            monotonicNanoseconds: now
        )
        let response = handler(&request)
        if !request.isBodyRead, number == connection.number { libfcgi.discardBody() }
        guard let response else {
            guard let ticket = request.parked else {
                preconditionFailure("a handler that returns no answer has to park the request")
            }
            park(
                ticket,
                byteCount: arrived.bodyByteCount,
                on: connection,
                keepsConnection: keepsConnection
            )
            return true
        }
        if response.delayMilliseconds > 0,
            delay(response, on: connection, keepsConnection: keepsConnection)
        {
            return true
        }
        let isSent = send(response, with: libfcgi, on: connection)
        connection.finishRequest(at: now)
        return isSent && keepsConnection && !isDraining
    }

    /// Lets libfcgi write an answer through the object with which it has read the request.
    ///
    /// - Returns: true when the whole answer was written.
    func send(_ response: GatewayResponse, with libfcgi: LibraryRequest, on connection: Connection) -> Bool {
        let isSent =
            if response.body.count <= FastCGILimits.unhurriedResponseByteCount {
                libfcgi.finish(response, writing: connection.number)
            } else {
                connection.waitingForReader(milliseconds: settings.sendMilliseconds) {
                    libfcgi.finish(response, writing: connection.number)
                }
            }
        counts.answeredCount += 1
        if !isSent { counts.unsentCount += 1 }
        return isSent
    }
}
