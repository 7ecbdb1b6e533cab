public import System

/// One end of the conversation between a supervisor and its worker.
public struct ControlSocket: ~Copyable, Sendable {
    /// What came when one message was asked for.
    public enum Received: Sendable, Hashable {
        /// A message.
        case message(ControlMessage)
        /// Bytes that are no message: the other side is another version or broken. Nothing else is lost.
        case unknown
        /// Nothing is waiting.
        case nothing
        /// The other side is gone.
        case closed
    }

    private let socket: MessageSocket

    /// Talks over `socket`.
    public init(over socket: consuming MessageSocket) {
        self.socket = socket
    }

    /// The number to wait on with epoll and to hand to a child; valid while this value lives.
    public var descriptorNumber: Int32 { socket.descriptor.number }

    /// Sends one message without waiting.
    ///
    /// - Throws: `system.emsgsize` over the limit, `system.eagain` when the other side does not read,
    ///   `system.epipe` when it is gone.
    public borrowing func send(_ message: ControlMessage) throws(SystemCallError) {
        guard let bytes = message.bytes else { throw SystemCallError.messageTooLong }
        try socket.send(bytes.span)
    }

    /// Takes one message without waiting.
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
