internal import CLinux
internal import Glibc

public struct StreamSocket: ~Copyable, Sendable {
    public enum Arrival: Sendable, Hashable {
        case bytes(Int)
        case nothing
        case end
    }

    public enum Departure: Sendable, Hashable {
        case bytes(Int)
        case full
        case gone
    }

    public let descriptor: FileDescriptor

    public init(takingOwnership descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    public borrowing func peek(into buffer: inout [UInt8]) -> Arrival {
        arrival(flags: Int32(MSG_PEEK), into: &buffer)
    }

    public borrowing func receive(into buffer: inout [UInt8]) -> Arrival {
        arrival(flags: 0, into: &buffer)
    }

    public borrowing func send(_ bytes: Span<UInt8>) -> Departure {
        do throws(SystemCallError) {
            return .bytes(try descriptor.writeSome(bytes))
        } catch {
            return error.reason == .eagain ? .full : .gone
        }
    }

    /// Refuses everything that the other side sends from now on. Bytes that have arrived can still be read and answered.
    ///
    /// On a unix socket the other side's next write fails, so no bytes are lost silently. TCP cannot tell the other side.
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
    public consuming func release() -> Int32 {
        descriptor.release()
    }
}

extension StreamSocket {
    public static func makePair() throws(SystemCallError) -> StreamSocketPair {
        var numbers: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &numbers) == 0 else { throw .last("socketpair") }
        return StreamSocketPair(
            first: StreamSocket(takingOwnership: FileDescriptor(takingOwnership: numbers[0])),
            second: StreamSocket(takingOwnership: FileDescriptor(takingOwnership: numbers[1])))
    }

    /// Connects to the unix socket at `path`. Throws `socket-path.too-long` or `socket-path.invalid`, else the errno of
    /// `socket` or `connect`: `system.econnrefused` when no process listens, `system.eagain` when the queue is full.
    public static func connect(unixPath path: String) throws(SystemCallError) -> StreamSocket {
        try connect(to: SocketAddress(unixPath: path))
    }

    public static func connect(host: String, port: UInt16) throws(SystemCallError) -> StreamSocket {
        try connect(to: SocketAddress(host: host, port: port))
    }

    /// Connects. A unix socket connects at once or fails, so this never waits for a place in a full queue. TCP waits
    /// for its handshake.
    static func connect(to address: SocketAddress) throws(SystemCallError) -> StreamSocket {
        var kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        if address.family == AF_UNIX { kind |= Int32(SOCK_NONBLOCK.rawValue) }
        let number = CLinux.socket(address.family, kind, 0)
        guard number >= 0 else { throw .last("socket") }
        let descriptor = FileDescriptor(takingOwnership: number)
        let result = unsafe address.withPointer { unsafe CLinux.connect(number, $0, $1) }
        guard result == 0 else { throw .last("connect") }
        try descriptor.setNonBlocking(true)
        return StreamSocket(takingOwnership: descriptor)
    }
}

public struct StreamSocketPair: ~Copyable, Sendable {
    public var first: StreamSocket
    public var second: StreamSocket

    public consuming func split<Result: ~Copyable, Failure: Error>(
        _ body: (consuming StreamSocket, consuming StreamSocket) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(first, second)
    }
}
