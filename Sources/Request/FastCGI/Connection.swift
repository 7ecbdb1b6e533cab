internal import System

/// One accepted connection: its socket, and the bytes of a request that is not complete yet.
final class Connection {
    /// The number of the socket's descriptor. Another connection may get the same number once this one is closed.
    let number: Int32
    /// The number of requests answered on this connection.
    var answeredCount = 0
    /// The start of the current wait: when the connection was accepted, its last request was answered, or an incomplete
    /// request began. Nanoseconds of the monotonic clock.
    var since: UInt64
    /// The serial number that the connection table gives when it takes the connection in.
    var serial: UInt32 = 0
    /// The answer that is sent later; nil when no request waits for its answer.
    var postponed: PostponedAnswer?

    /// The framing check of the bytes that were taken out of the socket.
    private(set) var check: FramingCheck
    /// The content of those bytes, rewritten for libfcgi.
    private(set) var kept: PlainRequest
    /// Whether bytes of a request were taken out of the socket.
    private(set) var isCollecting = false

    private var socket: StreamSocket?
    private let settings: FastCGISettings

    init(_ socket: consuming StreamSocket, since: UInt64, settings: FastCGISettings) {
        self.settings = settings
        check = FramingCheck(bodyByteCountLimit: settings.readByteCount)
        kept = PlainRequest(bodyByteCountLimit: settings.bodyByteCount)
        number = socket.descriptor.number
        self.socket = consume socket
        self.since = since
    }

    /// Reads the bytes that have arrived and leaves them in the socket.
    func peek(into buffer: inout [UInt8]) -> StreamSocket.Arrival {
        socket?.peek(into: &buffer) ?? .end
    }

    /// Takes the bytes that have arrived out of the socket.
    func receive(into buffer: inout [UInt8]) -> StreamSocket.Arrival {
        socket?.receive(into: &buffer) ?? .end
    }

    /// Refuses everything that the other side sends from now on. A request that has already arrived can still be
    /// answered.
    func shutDownReading() {
        socket?.shutDownReading()
    }

    /// Runs `body` and lets writes in it wait up to `milliseconds` for a slow reader.
    func waitingForReader<Result>(milliseconds: Int, _ body: () -> Result) -> Result {
        try? socket?.setSendTimeout(milliseconds: milliseconds)
        try? socket?.descriptor.setNonBlocking(false)
        defer { try? socket?.descriptor.setNonBlocking(true) }
        return body()
    }

    /// Gives up the descriptor without closing it, because libfcgi has closed it already.
    func forgetDescriptor() {
        guard let socket = socket.take() else { return }
        _ = socket.release()
    }

    /// Starts to take bytes out of the socket. This is for a request that libfcgi cannot read from the socket, because
    /// it is larger than one look, comes in pieces or is padded.
    func startCollecting(at now: UInt64) {
        isCollecting = true
        since = now
    }

    /// Adds the next bytes of the request that is being collected.
    func collect(_ bytes: Span<UInt8>) -> FramingCheck.Verdict {
        check.consume(bytes, into: &kept)
    }

    /// Makes the connection idle again after an answer.
    func finishRequest(at now: UInt64) {
        answeredCount += 1
        since = now
        guard isCollecting else { return }
        isCollecting = false
        check = FramingCheck(bodyByteCountLimit: settings.readByteCount)
        kept = PlainRequest(bodyByteCountLimit: settings.bodyByteCount)
    }
}
