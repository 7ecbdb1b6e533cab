package import System

/// A message between the supervisor and one of its workers. On their message socket it is one byte for the kind, then
/// the payload if the kind has one.
///
/// Neither side answers a message. The end of the socket is a message too: a worker that reads it finishes its requests
/// and exits; a supervisor that reads it waits for the worker's exit status.
package enum ControlMessage: Sendable, Hashable {
    /// From a worker: it has opened its generation, filled its caches and accepts connections from now on.
    case ready
    /// From the supervisor: accept no more connections, finish the requests and exit with 0. The worker gives up what
    /// is not finished after this time. The supervisor repeats the message with a shorter time when the worker has to
    /// hurry.
    case drain(milliseconds: UInt32)
    /// From a worker: it has answered as many requests as `maxRequests` allows and asks to be replaced. It goes on
    /// serving until the supervisor tells it to drain.
    case recycle
    /// From a worker: a certificate chain that vouched for a payload in this worker for the first time. From the
    /// supervisor: such a chain of another worker. The receiver verifies a hint and never trusts it. The bytes are the
    /// DER of three certificates, in a form that only workers know.
    case chainHint([UInt8])

    /// The greatest length of a message in bytes, with the kind. Three certificates of Apple's are about 2.5 KB;
    /// SOCK_SEQPACKET itself takes more.
    package static let byteCountLimit = 65_536

    package var bytes: [UInt8]? {
        let payload = payload
        guard payload.count < Self.byteCountLimit else { return nil }
        return [kind] + payload
    }

    /// Decodes one message. Returns nil when the kind is unknown, when the kind needs a payload and has none, when it
    /// has a payload and needs none, and when the message is over ``byteCountLimit``.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count > 0, bytes.count <= Self.byteCountLimit else { return nil }
        let payload = (1..<bytes.count).map { bytes[$0] }
        switch (bytes[0], payload.isEmpty) {
        case (1, true): self = .ready
        case (2, false):
            guard payload.count == 4 else { return nil }
            self = .drain(milliseconds: payload.reduce(0) { $0 << 8 | UInt32($1) })
        case (3, true): self = .recycle
        case (4, false): self = .chainHint(payload)
        default: return nil
        }
    }

    private var kind: UInt8 {
        switch self {
        case .ready: 1
        case .drain: 2
        case .recycle: 3
        case .chainHint: 4
        }
    }

    private var payload: [UInt8] {
        switch self {
        case .ready, .recycle: []
        case .drain(let milliseconds):
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: milliseconds >> $0) }
        case .chainHint(let payload): payload
        }
    }
}

/// One end of the message socket between the supervisor and a worker.
package struct ControlSocket: ~Copyable, Sendable {
    package enum Received: Sendable, Hashable {
        case message(ControlMessage)
        /// Bytes that are not a message: the other side is of another version, or broken. Messages after it can still
        /// be received.
        case unknown
        case nothing
        case closed
    }

    private let socket: MessageSocket

    package init(over socket: consuming MessageSocket) {
        self.socket = socket
    }

    /// The descriptor's number, for epoll and for handing the socket to a child process. Valid while this value lives.
    package var descriptorNumber: Int32 { socket.descriptor.number }

    /// Sends one message without waiting.
    ///
    /// - Throws: `message.too-long` when the message is over the limit, `system.eagain` when the other side does not
    ///   read, `system.epipe` when the other side is gone.
    package borrowing func send(_ message: ControlMessage) throws(SystemCallError) {
        guard let bytes = message.bytes else { throw .found(.messageTooLong) }
        try socket.send(bytes.span)
    }

    package borrowing func receive() throws(SystemCallError) -> Received {
        switch try socket.receive(limitBytes: ControlMessage.byteCountLimit) {
        case .nothing: return .nothing
        case .closed: return .closed
        case .tooLong: return .unknown
        case .message(let bytes):
            guard let message = ControlMessage(bytes.span) else { return .unknown }
            return .message(message)
        }
    }
}
