internal import CLinux
internal import Glibc

/// A stream socket, unix or TCP, that accepts connections and never blocks. It is made here or inherited.
public struct ListeningSocket: ~Copyable, Sendable {
    public let descriptor: FileDescriptor
    public let isUnix: Bool

    /// Who may connect to a unix socket. A client needs write permission on the socket's file.
    public struct Access: Sendable, Hashable {
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
            throw .found(.notListening)
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

    static func boundSocket(at address: SocketAddress) throws(SystemCallError) -> FileDescriptor {
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
        guard rt_is_socket(status.st_mode) != 0 else { throw .found(.notSocket) }
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
        throw .found(.socketPathInUse)
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
public struct ListenQueue: Sendable, Hashable {
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
