internal import CLinux
internal import Glibc

/// A stream socket, unix or TCP, that accepts connections and never blocks. It is made here or inherited.
public struct ListeningSocket: ~Copyable, Sendable {
    public let descriptor: FileDescriptor
    public let isUnix: Bool

    /// Who may connect to a unix socket. A client needs write permission on the socket's file.
    public struct Access: Sendable {
        public let mode: UInt32
        public let groupID: UInt32?

        public init(mode: UInt32, groupID: UInt32? = nil) {
            self.mode = mode
            self.groupID = groupID
        }
    }

    public enum Acceptance: ~Copyable {
        case connection(StreamSocket)
        case nobody
        case noRoom
    }

    /// Takes over a socket that already listens: descriptor 0 of a FastCGI process, or a socket from systemd. Throws
    /// `socket.not-listening`.
    public init(adopting descriptor: consuming FileDescriptor) throws(SystemCallError) {
        guard try descriptor.socketOption(SO_ACCEPTCONN) != 0 else {
            throw .notListening
        }
        let domain = try descriptor.socketOption(SO_DOMAIN)
        try descriptor.setNonBlocking(true)
        isUnix = domain == AF_UNIX
        self.descriptor = descriptor
    }

    /// Makes a unix socket at `path`, after it has removed one there on which no process accepts. No client can connect before mode
    /// and group are set. Throws `socket-path.in-use`, `socket-path.not-socket`, `socket-path.too-long`, `socket-path.invalid`,
    /// `system.eperm` when this process may not give the socket to that group.
    public init(unixPath path: String, access: Access, backlog: Int32) throws(SystemCallError) {
        let address = try SocketAddress(unixPath: path)
        try Self.removeDeadSocket(path: path, address: address)
        let socket = try Self.makeSocket(family: AF_UNIX)
        // The socket's file starts without permission bits, so nobody can connect too early: Linux gives it the mode of
        // the socket. (The umask would do the same, but it belongs to all threads of the process.)
        guard fchmod(socket.number, 0) == 0 else { throw .last("fchmod") }
        let bound = unsafe address.withPointer { unsafe bind(socket.number, $0, $1) }
        guard bound == 0 else { throw .last("bind") }
        do throws(SystemCallError) {
            if let group = access.groupID {
                guard unsafe chown(path, uid_t.max, group) == 0 else { throw .last("chown") }
            }
            guard unsafe chmod(path, mode_t(access.mode)) == 0 else { throw .last("chmod") }
            guard listen(socket.number, backlog) == 0 else { throw .last("listen") }
        } catch {
            unsafe unlink(path)
            throw error
        }
        isUnix = true
        descriptor = socket
    }

    public init(host: String, port: UInt16, backlog: Int32) throws(SystemCallError) {
        let address = try SocketAddress(host: host, port: port)
        let socket = try Self.boundSocket(at: address)
        guard listen(socket.number, backlog) == 0 else { throw .last("listen") }
        isUnix = false
        descriptor = socket
    }

    public borrowing func accept() -> Acceptance {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        while true {
            let number = accept4(descriptor.number, nil, nil, flags)
            if number >= 0 {
                return .connection(StreamSocket(takingOwnership: FileDescriptor(takingOwnership: number)))
            }
            switch errno {
            // The client left while it waited (accept(2), "Error handling"): try the next one.
            case EINTR, ECONNABORTED, EPROTO, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .noRoom
            default: return .nobody
            }
        }
    }

    private static func boundSocket(at address: SocketAddress) throws(SystemCallError) -> FileDescriptor {
        let socket = try makeSocket(family: address.family)
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &one, size)
        guard result == 0 else { throw .last("setsockopt") }
        let bound = unsafe address.withPointer { unsafe bind(socket.number, $0, $1) }
        guard bound == 0 else { throw .last("bind") }
        return socket
    }

    private static func makeSocket(family: Int32) throws(SystemCallError) -> FileDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let number = socket(family, kind, 0)
        guard number >= 0 else { throw .last("socket") }
        return FileDescriptor(takingOwnership: number)
    }

    static func removeDeadSocket(path: String, address: SocketAddress, isDryRun: Bool = false)
        throws(SystemCallError)
    {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .last("lstat")
        }
        guard rt_is_socket(status.st_mode) != 0 else { throw .notSocket }
        do throws(SystemCallError) {
            _ = try StreamSocket.connect(to: address)
        } catch {
            switch error.reason {
            case .econnrefused:
                if isDryRun { return }
                guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last("unlink") }
                return
            case .enoent: return
            // A full queue: a process still listens.
            case .eagain: break
            default: throw error
            }
        }
        throw .socketPathInUse
    }

    public var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = descriptor.number
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(number, $0, &size)
            }
        }
        // IPv4 and IPv6 addresses have the port at the same offset.
        return result == 0 && !isUnix ? UInt16(bigEndian: address.sin_port) : 0
    }

    public static func check(unixPath path: String) throws(SystemCallError) {
        let address = try SocketAddress(unixPath: path)
        try removeDeadSocket(path: path, address: address, isDryRun: true)
        try Directory.checkEntryCanBeMade(path: path)
    }

    public static func check(host: String, port: UInt16) throws(SystemCallError) {
        // Even with SO_REUSEADDR bind(2) refuses an address on which another socket listens (socket(7)).
        _ = try boundSocket(at: SocketAddress(host: host, port: port))
    }

    public enum Inheritance: Sendable, Hashable {
        case systemd(count: Int)
        /// Descriptor 0 is a listening socket: FastCGI's own way, which spawn-fcgi, mod_fcgid and lighttpd use.
        case standardInput
        case none
    }

    public static let firstSystemdDescriptor: Int32 = 3

    /// systemd's variables come before descriptor 0.
    public static func inheritance() -> Inheritance {
        if let count = systemdCount(), count > 0 { return .systemd(count: count) }
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let result = unsafe getsockopt(0, SOL_SOCKET, SO_ACCEPTCONN, &value, &size)
        return result == 0 && value != 0 ? .standardInput : .none
    }

    private static func systemdCount() -> Int? {
        guard let process = number(of: "LISTEN_PID"), process == Int(getpid()) else { return nil }
        return number(of: "LISTEN_FDS")
    }

    private static func number(of variable: String) -> Int? {
        guard let text = unsafe getenv(variable) else { return nil }
        return unsafe Int(String(cString: text))
    }
}

extension FileDescriptor {
    fileprivate borrowing func socketOption(_ option: Int32) throws(SystemCallError) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(number, SOL_SOCKET, option, &value, &size) == 0 else {
            throw .last("getsockopt")
        }
        return value
    }
}

/// The queue of a listening socket: the connections that wait until a process accepts them.
public struct ListenQueue: Sendable {
    public let waitingCount: Int
    public let limitCount: Int

    /// Asks the kernel about the listening socket behind a descriptor of this process. Nil when the descriptor is no
    /// such socket, or when a sandbox refuses netlink, through which alone the kernel tells a unix socket's queue.
    public init?(ofDescriptor number: Int32) {
        var waiting: UInt32 = 0
        var limit: UInt32 = 0
        var status = stat()
        guard unsafe fstat(number, &status) == 0, rt_is_socket(status.st_mode) != 0,
            unsafe rt_tcp_queue(number, &waiting, &limit) == 0
                || rt_unix_queue(UInt64(status.st_ino), &waiting, &limit) == 0
        else { return nil }
        waitingCount = Int(waiting)
        limitCount = Int(limit)
    }
}

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

    public static func makePair() throws(SystemCallError) -> SocketPair<StreamSocket> {
        let numbers = try socketPair(SOCK_STREAM)
        return SocketPair(
            first: StreamSocket(takingOwnership: FileDescriptor(takingOwnership: numbers.0)),
            second: StreamSocket(takingOwnership: FileDescriptor(takingOwnership: numbers.1)))
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

/// Two sockets that are connected with each other, both close-on-exec and non-blocking.
public struct SocketPair<End: ~Copyable & Sendable>: ~Copyable, Sendable {
    let first: End
    let second: End

    public consuming func split<Result: ~Copyable, Failure: Error>(
        _ body: (consuming End, consuming End) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(first, second)
    }
}

private func socketPair(_ kind: __socket_type) throws(SystemCallError) -> (Int32, Int32) {
    var numbers: [Int32] = [-1, -1]
    let kind = Int32(kind.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &numbers) == 0 else { throw .last("socketpair") }
    return (numbers[0], numbers[1])
}

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

    public static func makePair() throws(SystemCallError) -> SocketPair<MessageSocket> {
        let numbers = try socketPair(SOCK_SEQPACKET)
        let first = FileDescriptor(takingOwnership: numbers.0)
        let second = FileDescriptor(takingOwnership: numbers.1)
        return SocketPair(
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

struct SocketAddress {
    private var storage = sockaddr_storage()
    private var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let family: Int32

    /// Makes the address of a unix socket from its path. Throws `socket-path.too-long` beyond 107 bytes, the most that
    /// unix(7) has room for; `socket-path.invalid` for an empty path or a path with a zero byte.
    init(unixPath path: String) throws(SystemCallError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard !bytes.isEmpty, !bytes.contains(0) else { throw .socketPathInvalid }
        guard bytes.count <= room else {
            throw .socketPathTooLong(byteCount: bytes.count, limit: room)
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        family = AF_UNIX
        store(address)
    }

    /// Makes a TCP address from a numeric IPv4 or IPv6 address and a port. IPv6 has no brackets. Throws `host.not-numeric`
    /// for anything else, also a name.
    init(host: String, port: UInt16) throws(SystemCallError) {
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if unsafe inet_pton(AF_INET, host, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            family = AF_INET
            store(four)
        } else if unsafe inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            family = AF_INET6
            store(six)
        } else {
            throw .hostNotNumeric
        }
    }

    private mutating func store<Address>(_ address: Address) {
        byteCount = socklen_t(MemoryLayout<Address>.size)
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: address, as: Address.self) }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, byteCount) }
        }
    }
}

public struct NumericHost: Sendable {
    /// The 4 or 16 bytes of the address, in network order.
    public let bytes: [UInt8]

    public init?(_ text: String) {
        guard let bytes = Self.parse(text, AF_INET, 4) ?? Self.parse(text, AF_INET6, 16) else { return nil }
        self.bytes = bytes
    }

    /// True when only this machine can reach the address: 127.0.0.0/8, `::1`, and 127.0.0.0/8 mapped into IPv6.
    public var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 }
        if bytes.dropLast().allSatisfy({ $0 == 0 }) { return bytes[15] == 1 }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return isMapped && bytes[12] == 127
    }

    private static func parse(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe text.withCString { name in
            unsafe bytes.withUnsafeMutableBytes { unsafe inet_pton(family, name, $0.baseAddress) }
        }
        return result == 1 ? bytes : nil
    }
}
