internal import CLinux
internal import Glibc

/// A stream socket that accepts connections and never blocks; unix or TCP, made here or inherited.
public struct ListeningSocket: ~Copyable, Sendable {
    /// The descriptor.
    public let descriptor: FileDescriptor
    /// Whether this is a unix socket.
    public let isUnix: Bool

    /// Who may connect to a unix socket: connecting needs write permission on it.
    public struct Access: Sendable, Hashable {
        /// Permission bits.
        public let mode: UInt32
        /// The owner; nil leaves it to the process.
        public let userID: UInt32?
        /// The group; nil leaves it to the process.
        public let groupID: UInt32?

        /// Names mode, owner and group.
        public init(mode: UInt32, userID: UInt32? = nil, groupID: UInt32? = nil) {
            self.mode = mode
            self.userID = userID
            self.groupID = groupID
        }
    }

    /// What one attempt to accept found.
    public enum Acceptance: ~Copyable {
        /// A connection; it never blocks and is closed on exec.
        case connection(StreamSocket)
        /// Nobody is waiting, or another process was faster.
        case nobody
        /// This process or the machine has no descriptor or memory left for it; the connection goes on waiting.
        case noRoom
    }

    /// Takes over a socket that listens already: descriptor 0 of a FastCGI process, or one of systemd's.
    ///
    /// - Throws: `system.einval` when it does not listen, `system.enotsock` when it is no socket.
    public init(adopting descriptor: consuming FileDescriptor) throws(SystemCallError) {
        guard try descriptor.socketOption(SO_ACCEPTCONN) != 0 else {
            throw SystemCallError(call: "getsockopt", .einval)
        }
        let domain = try descriptor.socketOption(SO_DOMAIN)
        try descriptor.setNonBlocking(true)
        isUnix = domain == AF_UNIX
        self.descriptor = descriptor
    }

    /// Makes a unix socket at `path`. A socket there on which something accepts is in use; a dead one is unlinked.
    /// Nobody can connect before mode, owner and group are as they should be.
    ///
    /// - Throws: `system.eaddrinuse` when something accepts there, `system.enotsock` when another kind of file is
    ///   there, `system.enametoolong`, `system.eperm` when it cannot be given to that owner or group.
    public init(unixPath path: String, access: Access, backlog: Int32) throws(SystemCallError) {
        let address = try SocketAddress(unixPath: path)
        try Self.removeDeadSocket(path: path, address: address)
        let socket = try Self.makeSocket(family: AF_UNIX)
        // Without permission bits there is no moment at which the wrong ones connect. umask belongs to the whole
        // process, so listening sockets are made before there are threads.
        let mask = umask(0o777)
        let bound = unsafe address.withPointer { unsafe bind(socket.number, $0, $1) }
        let failure = SystemCallError.last("bind")
        umask(mask)
        guard bound == 0 else { throw failure }
        do throws(SystemCallError) {
            if access.userID != nil || access.groupID != nil {
                let owner = access.userID ?? uid_t.max
                let group = access.groupID ?? gid_t.max
                guard unsafe chown(path, owner, group) == 0 else { throw .last("chown") }
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

    /// Makes a TCP socket at a numeric address; port 0 takes a free one.
    ///
    /// - Throws: `system.einval` for what is no address, else the errno of `bind` or `listen`.
    public init(host: String, port: UInt16, backlog: Int32) throws(SystemCallError) {
        let address = try SocketAddress(host: host, port: port)
        let socket = try Self.boundSocket(at: address)
        guard listen(socket.number, backlog) == 0 else { throw .last("listen") }
        isUnix = false
        descriptor = socket
    }

    /// Accepts one connection if somebody waits.
    public borrowing func accept() -> Acceptance {
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        while true {
            let number = accept4(descriptor.number, nil, nil, flags)
            if number >= 0 {
                return .connection(StreamSocket(takingOwnership: FileDescriptor(takingOwnership: number)))
            }
            switch errno {
            // The client went away while it waited (accept(2), "Error handling"): try the next one.
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

    /// Unlinks a socket on which nothing accepts; a trial leaves it.
    static func removeDeadSocket(
        path: String,
        address: SocketAddress,
        isTrial: Bool = false
    ) throws(SystemCallError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .last("lstat")
        }
        guard rt_is_socket(status.st_mode) != 0 else {
            throw SystemCallError(call: "bind", .enotsock)
        }
        do throws(SystemCallError) {
            _ = try StreamSocket.connect(to: address)
        } catch {
            switch error.reason {
            case .econnrefused:
                if isTrial { return }
                guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last("unlink") }
                return
            case .enoent: return
            // A full queue is a living one.
            case .eagain: break
            default: throw error
            }
        }
        throw SystemCallError(call: "bind", .eaddrinuse)
    }
}

extension ListeningSocket {
    /// The TCP port, 0 for a unix socket.
    public var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = descriptor.number
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(number, $0, &size)
            }
        }
        // The port stands at the same place in IPv4 and IPv6 addresses.
        return result == 0 && !isUnix ? UInt16(bigEndian: address.sin_port) : 0
    }
}

extension FileDescriptor {
    /// An integer option of the socket layer.
    fileprivate borrowing func socketOption(_ option: Int32) throws(SystemCallError) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(number, SOL_SOCKET, option, &value, &size) == 0 else {
            throw .last("getsockopt")
        }
        return value
    }
}
