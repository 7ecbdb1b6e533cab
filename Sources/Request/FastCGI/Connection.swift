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
    /// The content of those bytes, written anew for libfcgi.
    private(set) var kept = PlainRequest()
    /// Whether bytes of a request were taken out of the socket.
    private(set) var isCollecting = false

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

    /// Starts to take bytes out of the socket, for a request that libfcgi cannot read from there: it does not fit, comes
    /// in pieces or is padded.
    func startCollecting(at now: UInt64) {
        isCollecting = true
        since = now
    }

    /// Takes the next bytes of the request that is collected.
    func collect(_ bytes: Span<UInt8>) -> FramingCheck.Verdict {
        check.consume(bytes, into: &kept)
    }

    /// Is idle again after an answer.
    func finishRequest(at now: UInt64) {
        answeredCount += 1
        since = now
        guard isCollecting else { return }
        isCollecting = false
        check = FramingCheck()
        kept = PlainRequest()
    }
}
