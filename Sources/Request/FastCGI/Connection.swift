internal import System

/// One accepted connection: its socket and what has come of a request that is not complete yet.
final class Connection {
    /// The number of the descriptor; another connection may get it once this one is closed.
    let number: Int32
    /// Requests answered on it.
    var answeredCount = 0
    /// When it was accepted or its last request was answered, or when an incomplete request began.
    var since: UInt64
    /// Set once the table waits for it.
    var serial: UInt32 = 0

    /// Follows the bytes that were taken out of the socket.
    private(set) var check = FramingCheck()
    /// Those bytes, as far as they are kept.
    private(set) var kept: [UInt8] = []
    /// Whether bytes of an incomplete request were taken out of the socket.
    private(set) var isCollecting = false
    /// Whether some of them were thrown away, which happens to the end of a body that is too long.
    private(set) var isCut = false

    private var socket: StreamSocket?

    init(_ socket: consuming StreamSocket, since: UInt64) {
        number = socket.descriptor.number
        self.socket = consume socket
        self.since = since
    }

    /// Looks at what has arrived.
    func peek(into buffer: inout [UInt8]) -> StreamSocket.Arrival {
        socket?.peek(into: &buffer) ?? .end
    }

    /// Takes what has arrived.
    func receive(into buffer: inout [UInt8]) -> StreamSocket.Arrival {
        socket?.receive(into: &buffer) ?? .end
    }

    /// Refuses what the other side may send from now on; what has arrived can still be answered.
    func shutDownReading() {
        socket?.shutDownReading()
    }

    /// Lets writes wait up to `milliseconds` for a slow reader while `body` runs.
    func patiently<Result>(milliseconds: Int, _ body: () -> Result) -> Result {
        try? socket?.setSendTimeout(milliseconds: milliseconds)
        try? socket?.descriptor.setNonBlocking(false)
        defer { try? socket?.descriptor.setNonBlocking(true) }
        return body()
    }

    /// Gives the descriptor up without closing it, because libfcgi has closed it.
    func forgetDescriptor() {
        guard let socket = socket.take() else { return }
        _ = socket.release()
    }

    /// Starts to take bytes out of the socket, for a request that does not fit into it or comes in pieces.
    func startCollecting(at now: UInt64) {
        isCollecting = true
        since = now
    }

    /// Takes the next bytes of an incomplete request.
    func collect(_ bytes: Span<UInt8>) -> FramingCheck.Verdict {
        let verdict = check.consume(bytes)
        if case .refused = verdict { return verdict }
        if isCut || kept.count + bytes.count > FastCGILimits.keptByteCount
            || check.bodyByteCount > FastCGILimits.bodyByteCount
        {
            // The parameters are complete by now: they alone never reach the limit. The rest is for nobody.
            isCut = true
        } else {
            unsafe bytes.withUnsafeBufferPointer { unsafe kept.append(contentsOf: $0) }
        }
        return verdict
    }

    /// Is idle again after an answer.
    func finishRequest(at now: UInt64) {
        answeredCount += 1
        since = now
        guard isCollecting else { return }
        isCollecting = false
        isCut = false
        check = FramingCheck()
        kept = []
    }
}
