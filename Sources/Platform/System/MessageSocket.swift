internal import CLinux
internal import Glibc

/// One end of a connected pair of sockets that keeps message boundaries (unix(7), SOCK_SEQPACKET).
///
/// Both ends are close-on-exec and never block. A child gets its end through a file action of posix_spawn.
public struct MessageSocket: ~Copyable, Sendable {
    public enum Received: Sendable, Hashable {
        case message([UInt8])
        case nothing
        case closed
        case tooLong
    }

    public let descriptor: FileDescriptor

    public init(takingOwnership descriptor: consuming FileDescriptor) throws(SystemCallError) {
        try descriptor.setNonBlocking(true)
        self.descriptor = descriptor
    }

    public static func makePair() throws(SystemCallError) -> MessageSocketPair {
        var numbers: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &numbers) == 0 else { throw .last("socketpair") }
        let first = FileDescriptor(takingOwnership: numbers[0])
        let second = FileDescriptor(takingOwnership: numbers[1])
        return MessageSocketPair(
            first: try MessageSocket(takingOwnership: first),
            second: try MessageSocket(takingOwnership: second))
    }

    /// Sends one message whole or not at all, without waiting. Throws `system.eagain` when the other end does not read,
    /// `system.epipe` when it is closed.
    public borrowing func send(_ message: Span<UInt8>) throws(SystemCallError) {
        let number = descriptor.number
        try unsafe message.withUnsafeBytes { block throws(SystemCallError) in
            _ = try retrying("send") {
                unsafe CLinux.send(number, block.baseAddress, block.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    public borrowing func receive(limitBytes: Int) throws(SystemCallError) -> Received {
        var buffer = [UInt8](repeating: 0, count: limitBytes)
        let number = descriptor.number
        // MSG_TRUNC makes recv return the real length of a message that did not fit.
        let flags = Int32(MSG_TRUNC)
        let received = unsafe buffer.withUnsafeMutableBytes { block in
            Result { () throws(SystemCallError) in
                try retrying("recv") { unsafe recv(number, block.baseAddress, block.count, flags) }
            }
        }
        switch received {
        case .success(0): return .closed
        case .success(let count) where count > limitBytes: return .tooLong
        case .success(let count):
            buffer.removeLast(limitBytes - count)
            return .message(buffer)
        case .failure(let error) where error.reason == .eagain: return .nothing
        case .failure(let error) where error.reason == .econnreset: return .closed
        case .failure(let error): throw error
        }
    }
}

public struct MessageSocketPair: ~Copyable, Sendable {
    public var first: MessageSocket
    public var second: MessageSocket

    public consuming func split<Result: ~Copyable, Failure: Error>(
        _ body: (consuming MessageSocket, consuming MessageSocket) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(first, second)
    }
}
