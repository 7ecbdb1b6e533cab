public import System

/// One end of the message socket between the supervisor and a worker.
///
///     let control = ControlSocket(over: socket)
///     try control.send(.ready)
///     while case .message(let message) = try control.receive() { handle(message) }
public struct ControlSocket: ~Copyable, Sendable {
    /// The result of ``receive()``.
    public enum Received: Sendable, Hashable {
        /// The next message.
        case message(ControlMessage)
        /// Bytes that are not a message: the other side is of another version, or broken. Messages after it can still
        /// be received.
        case unknown
        /// No message is waiting.
        case nothing
        /// The other side has closed its end.
        case closed
    }

    private let socket: MessageSocket

    /// Takes over `socket`, one end of a connected pair.
    public init(over socket: consuming MessageSocket) {
        self.socket = socket
    }

    /// The descriptor's number, for epoll and for handing the socket to a child process. Valid while this value lives.
    public var descriptorNumber: Int32 { socket.descriptor.number }

    /// Sends one message without waiting.
    ///
    /// - Throws: `message.too-long` when the message is over the limit, `system.eagain` when the other side does not
    ///   read, `system.epipe` when the other side is gone.
    public borrowing func send(_ message: ControlMessage) throws(SystemCallError) {
        guard let bytes = message.bytes else { throw .found(.messageTooLong) }
        try socket.send(bytes.span)
    }

    /// Receives one message without waiting.
    ///
    /// - Throws: the errno of `recv`.
    public borrowing func receive() throws(SystemCallError) -> Received {
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
