internal import System

/// An answer that the server sends later (``GatewayResponse/delayMilliseconds``).
struct PostponedAnswer {
    let response: GatewayResponse
    /// The object with which libfcgi has read the request. libfcgi needs it to write the answer.
    let libfcgi: LibraryRequest
    /// The time at which the answer is sent, in nanoseconds of the monotonic clock.
    let dueAt: UInt64
    /// True when the connection can take another request after the answer.
    let keepsConnection: Bool
}

extension FastCGIServer {
    /// The longest delay: an hour.
    private static let longestDelayMilliseconds: UInt64 = 3_600_000

    /// The time until the next answer must be sent, rounded up to milliseconds; nil when no answer waits.
    var nextDueMilliseconds: Int32? {
        guard let due = postponed.compactMap({ $0.postponed?.dueAt }).min() else { return nil }
        let now = Clock.monotonicNanoseconds()
        return due > now ? Int32(clamping: (due - now + 999_999) / 1_000_000) : 0
    }

    /// Keeps an answer until its time has come. The next requests are read with a new object of libfcgi.
    ///
    /// - Returns: false when the answer must be sent now, because the server is draining or libfcgi has no memory.
    func postpone(_ response: GatewayResponse, on connection: Connection, keepsConnection: Bool) -> Bool {
        guard !isDraining, let next = try? LibraryRequest() else { return false }
        let delay = min(response.delayMilliseconds, Self.longestDelayMilliseconds)
        connection.finishRequest(at: now)
        connection.postponed = PostponedAnswer(
            response: response,
            libfcgi: libfcgi,
            dueAt: now + delay * 1_000_000,
            keepsConnection: keepsConnection
        )
        postponed.append(connection)
        libfcgi = next
        return true
    }

    /// Sends the answers whose time has come, and answers what has arrived on their connections meanwhile.
    func sendDueAnswers(_ handler: Handler) {
        guard !postponed.isEmpty else { return }
        for connection in postponed {
            guard let answer = connection.postponed, answer.dueAt <= now else { continue }
            let isUsable = sendPostponedAnswer(on: connection) && answer.keepsConnection
            if !isUsable || !answerArrived(on: connection, handler) { close(connection) }
        }
    }

    /// Sends the answer that waits on a connection.
    ///
    /// - Returns: true when an answer waited and was written whole.
    func sendPostponedAnswer(on connection: Connection) -> Bool {
        guard let answer = connection.postponed.take() else { return false }
        postponed.removeAll { $0 === connection }
        connection.since = now
        return send(answer.response, with: answer.libfcgi, on: connection)
    }
}
