internal import CLinux
internal import Glibc

/// A connected stream socket that never blocks.
public struct StreamSocket: ~Copyable, Sendable {
    /// The result of one read.
    public enum Arrival: Sendable, Hashable {
        /// This many bytes were read, at least one.
        case bytes(Int)
        /// No bytes have arrived yet.
        case nothing
        /// No bytes will arrive any more: the other side has closed or reset the connection, or the read failed.
        case end
    }

    /// The result of one write.
    public enum Departure: Sendable, Hashable {
        /// This many bytes were written, at least one.
        case bytes(Int)
        /// The other side has no room until it reads.
        case full
        /// The other side is gone, or the write failed.
        case gone
    }

    /// The descriptor, for epoll and poll.
    public let descriptor: FileDescriptor

    /// Takes over a connected, non-blocking socket.
    public init(takingOwnership descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Reads the arrived bytes from their start and leaves them in the socket (recv(2), MSG_PEEK).
    public borrowing func peek(into buffer: inout [UInt8]) -> Arrival {
        arrival(flags: Int32(MSG_PEEK), into: &buffer)
    }

    /// Reads the arrived bytes, at most `buffer.count`, and takes them out of the socket.
    public borrowing func receive(into buffer: inout [UInt8]) -> Arrival {
        arrival(flags: 0, into: &buffer)
    }

    /// Writes as many of `bytes`, which must not be empty, as the other side has room for.
    public borrowing func send(_ bytes: Span<UInt8>) -> Departure {
        do throws(SystemCallError) {
            return .bytes(try descriptor.writeSome(bytes))
        } catch {
            return error.reason == .eagain ? .full : .gone
        }
    }

    /// Refuses everything that the other side sends from now on. Bytes that have arrived can still be read and
    /// answered.
    ///
    /// On a unix socket the other side's next write fails, so no bytes are lost silently. TCP cannot tell the other
    /// side.
    public borrowing func shutDownReading() {
        _ = shutdown(descriptor.number, Int32(SHUT_RD))
    }

    private borrowing func arrival(flags: Int32, into buffer: inout [UInt8]) -> Arrival {
        let number = descriptor.number
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { block in
                unsafe recv(number, block.baseAddress, block.count, flags)
            }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            // After any other error all that is left is to close the connection.
            return errno == EAGAIN ? .nothing : .end
        }
    }
}

extension StreamSocket {
    /// Returns the descriptor's number and leaves it open. The caller closes it.
    public consuming func release() -> Int32 {
        descriptor.release()
    }
}
