internal import System

extension FastCGIServer {
    typealias Handler = (inout FastCGIRequest) -> GatewayResponse

    /// Answers a request that is whole and plain where it lies; begins or continues to collect any other.
    ///
    /// - Returns: whether the connection stays open.
    func answerArrived(on connection: Connection, _ handler: Handler) -> Bool {
        if connection.isCollecting { return collect(on: connection, handler) }
        switch connection.peek(into: &peeked) {
        case .end: return false
        case .nothing: return true
        case .bytes(let count):
            var check = FramingCheck()
            switch check.consume(peeked.span.extracting(first: count)) {
            case .complete:
                // Bytes that arrive after this look may come into libfcgi's buffer with the request's last ones. It
                // stops parsing at the end of the body, which always is read, and frees the buffer with the request:
                // nothing parses them, and a client that does not wait for its answer has lost them. What is left of
                // them in the socket is looked at as any request's beginning. No connection has two clients.
                let arrived = FastCGIRequest.Arrived(bodyByteCount: check.bodyByteCount, isBodyKept: true)
                return answer(arrived, on: connection, reading: connection.number, handler)
                    && check.keepsConnection && !isDraining
            case .incomplete, .padded:
                connection.startCollecting(at: now)
                counts.collectedCount += 1
                return collect(on: connection, handler)
            case .refused:
                counts.refusedCount += 1
                return false
            }
        }
    }

    /// Answers what has arrived and closes.
    func retire(_ connection: Connection, _ handler: Handler) {
        connection.shutDownReading()
        _ = answerArrived(on: connection, handler)
        close(connection)
    }

    /// Closes and forgets.
    func close(_ connection: Connection) {
        keptByteCount -= connection.kept.bytes.count
        table.remove(connection)
    }

    /// Takes all that has arrived of a request that is collected, and answers it when it is whole.
    private func collect(on connection: Connection, _ handler: Handler) -> Bool {
        while true {
            switch connection.receive(into: &peeked) {
            case .nothing: return true
            case .end:
                counts.abandonedCount += 1
                return false
            case .bytes(let count):
                let before = connection.kept.bytes.count
                let verdict = connection.collect(peeked.span.extracting(first: count))
                keptByteCount += connection.kept.bytes.count - before
                switch verdict {
                case .incomplete:
                    guard keptByteCount <= FastCGILimits.keptByteCountInAll else { return false }
                case .complete, .padded: return answerCollected(on: connection, handler)
                case .refused:
                    counts.refusedCount += 1
                    return false
                }
            }
        }
    }

    /// Hands libfcgi the request, written anew, as a file in memory; the answer goes to the connection.
    private func answerCollected(on connection: Connection, _ handler: Handler) -> Bool {
        let check = connection.check
        let arrived = FastCGIRequest.Arrived(
            bodyByteCount: check.bodyByteCount,
            isBodyKept: !connection.kept.isCut
        )
        let number: Int32
        let kept = connection.kept.bytes
        do throws(SystemCallError) {
            let file = try ScratchFile.make(kept.span, reusing: scratch.take())
            number = file.number
            scratch = consume file
        } catch {
            return false
        }
        keptByteCount -= connection.kept.bytes.count
        return answer(arrived, on: connection, reading: number, handler) && check.keepsConnection
            && !isDraining
    }

    /// Lets libfcgi read the request, the handler answer it and libfcgi write the answer.
    ///
    /// - Returns: whether the connection can take another request.
    private func answer(
        _ arrived: FastCGIRequest.Arrived,
        on connection: Connection,
        reading number: Int32,
        _ handler: Handler
    ) -> Bool {
        do {
            try libfcgi.begin(reading: number)
        } catch {
            // libfcgi has closed the descriptor it was given.
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
            wallMilliseconds: wallMilliseconds,
            monotonicNanoseconds: now
        )
        let response = handler(&request)
        if !request.isBodyRead, number == connection.number { libfcgi.discardBody() }
        let isSent =
            if response.body.count <= FastCGILimits.unhurriedResponseByteCount {
                libfcgi.finish(response, writing: connection.number)
            } else {
                connection.patiently(milliseconds: settings.sendMilliseconds) {
                    libfcgi.finish(response, writing: connection.number)
                }
            }
        counts.answeredCount += 1
        if !isSent { counts.unsentCount += 1 }
        connection.finishRequest(at: now)
        return isSent
    }
}
