import Support
import System
import Testing

@Suite("A listening socket")
struct ListeningSocketTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path(of: "s") }

    init() throws { directory = try TemporaryDirectory() }

    private func listen(mode: UInt32 = 0o600) throws -> ListeningSocket {
        try ListeningSocket(unixPath: path, access: .init(mode: mode), backlog: 4)
    }

    private func accepted(by socket: borrowing ListeningSocket) -> Bool {
        if case .connection = socket.accept() { return true }
        return false
    }

    private func expectConnection(
        _ expected: Bool, at socket: borrowing ListeningSocket,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = accepted(by: socket)
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    @Test(
        "has the requested mode, whatever the umask",
        arguments: [0o600, 0o660, 0o666, 0o200] as [UInt32]
    )
    func mode(mode: UInt32) throws {
        let socket = try listen(mode: mode)
        let status = try FileStatus(path: path)
        #expect(status.kind == .socket)
        #expect(status.permissions == mode)
        let isUnix = socket.isUnix
        #expect(isUnix)
    }

    @Test("knows the number of connections that wait, on a unix socket and on TCP", arguments: [true, false])
    func queue(isUnix: Bool) throws {
        let socket = isUnix ? try listen() : try ListeningSocket(host: "127.0.0.1", port: 0, backlog: 4)
        #expect(ListenQueue(ofDescriptor: socket.descriptor.number)?.waitingCount == 0)
        #expect(ListenQueue(ofDescriptor: socket.descriptor.number)?.limitCount == 4)
        var clients: [StreamSocketBox] = []
        for _ in 1...3 {
            clients.append(
                StreamSocketBox(
                    isUnix
                        ? try StreamSocket.connect(unixPath: path)
                        : try StreamSocket.connect(host: "127.0.0.1", port: socket.port)
                )
            )
        }
        #expect(ListenQueue(ofDescriptor: socket.descriptor.number)?.waitingCount == 3)
        expectConnection(true, at: socket)
        #expect(ListenQueue(ofDescriptor: socket.descriptor.number)?.waitingCount == 2)
        let file = try FileDescriptor.openForReading(path: "/dev/null")
        #expect(ListenQueue(ofDescriptor: file.number) == nil)
        #expect(ListenQueue(ofDescriptor: -1) == nil)
        #expect(clients.count == 3)
    }

    /// A box for a socket, because an array cannot hold a noncopyable value.
    private final class StreamSocketBox {
        let socket: StreamSocket
        init(_ socket: consuming StreamSocket) { self.socket = socket }
    }

    @Test("accepts a connection that waits, and reports when no connection waits")
    func accepting() throws {
        let socket = try listen()
        expectConnection(false, at: socket)
        let client = try StreamSocket.connect(unixPath: path)
        expectConnection(true, at: socket)
        expectConnection(false, at: socket)
        _ = consume client
    }

    @Test("replaces a dead socket")
    func dead() throws {
        do { _ = try listen() }
        // The file outlives its socket.
        #expect(try FileStatus(path: path).kind == .socket)
        let socket = try listen()
        _ = try StreamSocket.connect(unixPath: path)
        expectConnection(true, at: socket)
    }

    @Test("does not replace a living socket, not even a socket with a full queue")
    func inUse() throws {
        let socket = try ListeningSocket(unixPath: path, access: .init(mode: 0o600), backlog: 0)
        for _ in 0..<2 {
            let error = #expect(throws: SystemCallError.self) { _ = try listen() }
            #expect(error?.code == "socket-path.in-use")
        }
        expectConnection(true, at: socket)
        _ = try StreamSocket.connect(unixPath: path)
        expectConnection(true, at: socket)
    }

    @Test("never removes a file that is not a socket")
    func otherFile() throws {
        try directory.write("precious", to: "s")
        let error = #expect(throws: SystemCallError.self) { _ = try listen() }
        #expect(error?.code == "socket-path.not-socket")
        #expect(try directory.read("s") == Array("precious".utf8))
    }

    @Test(
        "needs a path that fits into a socket address",
        arguments: [
            (107, nil), (108, "socket-path.too-long"), (200, "socket-path.too-long"),
            (0, "socket-path.invalid"),
        ] as [(Int, String?)]
    )
    func pathLength(byteCount: Int, code: String?) throws {
        let prefix = directory.path + "/"
        let path = byteCount == 0 ? "" : prefix + String(repeating: "x", count: byteCount - prefix.utf8.count)
        do {
            _ = try ListeningSocket(unixPath: path, access: .init(mode: 0o600), backlog: 1)
            #expect(code == nil)
        } catch {
            #expect(error.code == code)
        }
    }

    @Test("accepts TCP connections on loopback", arguments: ["127.0.0.1", "::1"])
    func internet(host: String) throws {
        let socket = try ListeningSocket(host: host, port: 0, backlog: 4)
        let port = socket.port
        #expect(port != 0)
        let isUnix = socket.isUnix
        #expect(!isUnix)
        let client = try StreamSocket.connect(host: host, port: port)
        while !accepted(by: socket) {}
        _ = consume client
    }

    @Test("refuses names and invalid addresses", arguments: ["localhost", "", "1.2.3", "[::1]", "256.0.0.1"])
    func host(host: String) throws {
        let error = #expect(throws: SystemCallError.self) {
            _ = try ListeningSocket(host: host, port: 0, backlog: 1)
        }
        #expect(error?.code == "host.not-numeric")
    }

    @Test("can be taken over only if it listens")
    func adopting() throws {
        let socket = try listen()
        let adopted = try ListeningSocket(adopting: socket.descriptor.duplicate())
        _ = try StreamSocket.connect(unixPath: path)
        expectConnection(true, at: adopted)
        let client = try StreamSocket.connect(unixPath: path)
        let error = #expect(throws: SystemCallError.self) {
            _ = try ListeningSocket(adopting: client.descriptor.duplicate())
        }
        #expect(error?.code == "socket.not-listening")
        let file = #expect(throws: SystemCallError.self) {
            _ = try ListeningSocket(adopting: FileDescriptor.openDirectory(path: directory.path))
        }
        #expect(file?.code == "system.enotsock")
    }
}
