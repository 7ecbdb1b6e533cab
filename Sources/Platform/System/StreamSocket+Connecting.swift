internal import CLinux
internal import Glibc

extension StreamSocket {
    /// Returns two connected ends, like a client and an accepted connection.
    ///
    /// - Throws: the errno of `socketpair`.
    public static func makePair() throws(SystemCallError) -> StreamSocketPair {
        var numbers: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &numbers) == 0 else { throw .last("socketpair") }
        return StreamSocketPair(
            first: StreamSocket(takingOwnership: FileDescriptor(takingOwnership: numbers[0])),
            second: StreamSocket(takingOwnership: FileDescriptor(takingOwnership: numbers[1])))
    }

    /// Connects to the unix socket at `path`.
    ///
    /// - Throws: `socket-path.too-long` or `socket-path.invalid`, else the errno of `socket` or `connect`:
    ///   `system.econnrefused` when no process listens, `system.eagain` when the queue is full.
    public static func connect(unixPath path: String) throws(SystemCallError) -> StreamSocket {
        try connect(to: SocketAddress(unixPath: path))
    }

    /// Connects to a numeric address and port over TCP.
    ///
    /// - Throws: `host.not-numeric` when `host` is not a numeric address, else the errno of `socket` or `connect`.
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

/// The two connected ends of a pair of stream sockets.
public struct StreamSocketPair: ~Copyable, Sendable {
    /// One end.
    public var first: StreamSocket
    /// The other end.
    public var second: StreamSocket

    /// Gives both ends to `body`, which owns them from then on.
    public consuming func split<Result: ~Copyable, Failure: Error>(
        _ body: (consuming StreamSocket, consuming StreamSocket) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(first, second)
    }
}
