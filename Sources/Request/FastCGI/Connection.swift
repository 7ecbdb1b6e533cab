internal import System

/// One accepted connection: its socket, and the request that is not complete yet.
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
    /// True when the poll reports the connection's events.
    var isPolled = false
    /// The token under which the poll reports the connection's events.
    var token: UInt64 { UInt64(serial) << 32 | UInt64(UInt32(bitPattern: number)) }
    /// What the answer to the waiting request needs; nil when no request waits for its answer.
    var parked: ParkedPlace?
    /// The whole request that waits for its turn; nil when none does.
    var waiting: WaitingRequest?
    /// The answer that the client has not taken whole yet; nil when there is none.
    var unsent: UnsentAnswer?
    /// True when bytes arrived while a request waited for its turn, or an answer for the client.
    var hasUnseenBytes = false
    /// True when the client sends nothing more after the request that waits for its turn, or whose answer waits for the
    /// client.
    var isFinished = false
    /// True when the connection stays open until its request is answered.
    var isAwaited: Bool { parked != nil || waiting != nil || unsent != nil }
    /// The events that the poll reports: with an answer that waits, also that the client has made room.
    var interest: EventPoll.Interest {
        unsent == nil ? [.readable, .edgeTriggered] : [.readable, .writable, .edgeTriggered]
    }

    /// The request whose bytes are taken out of the socket; nil while no bytes are.
    private(set) var collected: CollectedRequest?
    /// The bytes that the connection keeps of that request.
    var keptByteCount: Int { collected?.kept.bytes.count ?? 0 }

    private var socket: StreamSocket?

    init(_ socket: consuming StreamSocket, since: UInt64) {
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

    /// Writes as many bytes as the client has room for.
    func send(_ bytes: Span<UInt8>) -> StreamSocket.Departure {
        socket?.send(bytes) ?? .gone
    }

    /// Gives up the descriptor without closing it, because libfcgi has closed it already.
    func forgetDescriptor() {
        guard let socket = socket.take() else { return }
        _ = socket.release()
    }

    /// Starts to take bytes out of the socket.
    func startCollecting(at now: UInt64, _ settings: FastCGISettings) -> CollectedRequest {
        let request = CollectedRequest(settings)
        collected = request
        since = now
        return request
    }

    /// Gives up the bytes of the collected request: libfcgi has them now.
    func stopCollecting() {
        collected = nil
    }

    /// Makes the connection idle again after an answer.
    func finishRequest(at now: UInt64) {
        answeredCount += 1
        since = now
    }
}
