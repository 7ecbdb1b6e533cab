internal import CLinux
internal import Glibc

/// A connected stream socket that never blocks.
public struct StreamSocket: ~Copyable, Sendable {
    /// What one read found.
    public enum Arrival: Sendable, Hashable {
        /// So many bytes, at least one.
        case bytes(Int)
        /// Nothing yet.
        case nothing
        /// Nothing ever again: the other side has closed or reset.
        case end
    }

    /// The descriptor.
    public let descriptor: FileDescriptor

    /// Takes over a connected, non-blocking socket.
    public init(takingOwnership descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Looks at what has arrived, from its start, and leaves it there (recv(2), MSG_PEEK).
    public borrowing func peek(into buffer: inout [UInt8]) -> Arrival {
        arrival(flags: Int32(MSG_PEEK), into: &buffer)
    }

    /// Takes what has arrived, at most `buffer.count` bytes.
    public borrowing func receive(into buffer: inout [UInt8]) -> Arrival {
        arrival(flags: 0, into: &buffer)
    }

    /// Refuses everything the other side sends from now on; what has arrived can still be read, and answered.
    ///
    /// On a unix socket the other side's next write fails, so that nothing is lost silently. TCP has no such thing.
    public borrowing func shutDownReading() {
        _ = shutdown(descriptor.number, Int32(SHUT_RD))
    }

    /// Says that nothing more will be written.
    public borrowing func shutDownWriting() {
        _ = shutdown(descriptor.number, Int32(SHUT_WR))
    }

    /// Lets a write wait so long for a reader that is slow, once the socket is switched to blocking
    /// (``FileDescriptor/setNonBlocking(_:)``).
    ///
    /// - Throws: the errno of `setsockopt`.
    public borrowing func setSendTimeout(milliseconds: Int) throws(SystemCallError) {
        var time = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        let result = unsafe setsockopt(descriptor.number, SOL_SOCKET, SO_SNDTIMEO, &time, size)
        guard result == 0 else { throw .last("setsockopt") }
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
            // Whatever else went wrong with a connection, there is nothing to do but to close it.
            return errno == EAGAIN ? .nothing : .end
        }
    }
}

extension StreamSocket {
    /// Gives the descriptor up without closing it.
    public consuming func release() -> Int32 {
        descriptor.release()
    }
}
