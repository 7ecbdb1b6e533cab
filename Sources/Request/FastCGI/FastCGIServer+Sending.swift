internal import System

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
