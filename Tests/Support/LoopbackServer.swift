internal import CLinux
internal import Glibc
internal import Synchronization
internal import System

/// A tiny HTTP/1.1 server on 127.0.0.1, in this process, that behaves as badly as a test wants.
public final class LoopbackServer: Sendable {
    /// A request that the server received.
    public struct Request: Sendable {
        public let method: String
        /// The path with its query.
        public let path: String
        /// Header fields by their names in lower case.
        public let headers: [String: String]
        public let body: [UInt8]
        /// The number of the connection that the request came on, from 0.
        public let connection: Int
    }

    /// The server's reaction to a request.
    public enum Reply: Sendable {
        /// Sends a response with its length.
        case respond(status: Int, headers: [String] = ["Content-Type: application/json"], body: [UInt8] = [])
        /// Sends these bytes and closes the connection.
        case raw([UInt8])
        /// Closes the connection.
        case close
        /// Sends nothing and keeps the connection open until the client closes it.
        case hang
        /// Says that the tunnel is open, as a proxy does after CONNECT, and hands bytes on to and from this port of 127.0.0.1.
        case tunnel(to: UInt16)
    }

    /// The port on which the server listens.
    public let port: UInt16
    private let listener: Int32
    private let connections = Atomic<Int>(0)
    private let greeting: [UInt8]
    private let answer: @Sendable (Request) -> Reply

    /// Starts the server. It sends `greeting` on each new connection and reacts to each request as `answer` says.
    public init(greeting: [UInt8] = [], _ answer: @escaping @Sendable (Request) -> Reply) throws {
        self.answer = answer
        self.greeting = greeting
        // A write to a client that has gone must not end the process.
        signal(SIGPIPE, SIG_IGN)
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe Glibc.bind(listener, generic, length) == 0
                    && Glibc.listen(listener, 128) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        guard listener >= 0, isReady else { throw SystemCallError(call: "listen", Errno(rawValue: errno)) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        start()
    }

    /// Stops listening. Open connections end when their clients close them.
    public func stop() {
        Glibc.shutdown(listener, Int32(SHUT_RDWR))
    }

    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The number of connections that clients have made so far.
    public var connectionCount: Int { connections.load(ordering: .relaxed) }

    private func start() {
        BackgroundThread.start {
            while true {
                let socket = accept4(self.listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
                guard socket >= 0 else { break }
                let number = self.connections.wrappingAdd(1, ordering: .relaxed).oldValue
                BackgroundThread.start { self.serve(FileDescriptor(takingOwnership: socket), number) }
            }
            Glibc.close(self.listener)
        }
    }

    private func serve(_ connection: consuming FileDescriptor, _ number: Int) {
        let hello = greeting
        guard (try? connection.write(hello.span)) != nil else { return }
        var pending: [UInt8] = []
        while let request = Self.read(&pending, connection, number) {
            switch answer(request) {
            case .respond(let status, let headers, let body):
                let head =
                    (["HTTP/1.1 \(status) Test"] + headers + ["Content-Length: \(body.count)", "", ""])
                let bytes = Array(head.joined(separator: "\r\n").utf8) + body
                guard (try? connection.write(bytes.span)) != nil else { return }
            case .raw(let bytes):
                _ = try? connection.write(bytes.span)
                return
            case .close:
                return
            case .hang:
                var block = [UInt8](repeating: 0, count: 1)
                _ = try? connection.read(into: &block)
                return
            case .tunnel(let port):
                guard let other = try? StreamSocket.connect(host: "127.0.0.1", port: port),
                    (try? connection.write(Array("HTTP/1.1 200 Open\r\n\r\n".utf8).span)) != nil
                else { return }
                return Self.relay(connection, other.descriptor)
            }
        }
    }

    private static func relay(_ one: borrowing FileDescriptor, _ other: borrowing FileDescriptor) {
        var block = [UInt8](repeating: 0, count: 16384)
        let ends = [one.number, other.number]
        while let ready = try? Readiness.wait(for: ends, timeoutMilliseconds: 20_000), !ready.isEmpty {
            for index in ready {
                let isFirst = index == 0
                let count = try? isFirst ? one.read(into: &block) : other.read(into: &block)
                guard let count, count > 0 else { return }
                let bytes = Array(block[..<count])
                guard (try? isFirst ? other.write(bytes.span) : one.write(bytes.span)) != nil else { return }
            }
        }
    }

    private static func read(_ pending: inout [UInt8], _ connection: borrowing FileDescriptor, _ number: Int)
        -> Request?
    {
        while true {
            if let (request, used) = parse(pending, number) {
                pending.removeFirst(used)
                return request
            }
            var block = [UInt8](repeating: 0, count: 16384)
            guard let count = try? connection.read(into: &block), count > 0 else { return nil }
            pending += block[..<count]
        }
    }

    private static func parse(_ bytes: [UInt8], _ number: Int) -> (Request, Int)? {
        let end = Array("\r\n\r\n".utf8)
        guard bytes.count >= 4,
            let head = (0...bytes.count - 4).first(where: { bytes[$0..<$0 + 4].elementsEqual(end) })
        else { return nil }
        let lines = String(decoding: bytes[..<head], as: UTF8.self).split(separator: "\r\n")
        let first = (lines.first ?? "").split(separator: " ")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = String(
                line[line.index(after: colon)...].drop { $0 == " " }
            )
        }
        let length = Int(headers["content-length"] ?? "0") ?? 0
        guard first.count == 3, bytes.count - head - 4 >= length else { return nil }
        let request = Request(
            method: String(first[0]), path: String(first[1]), headers: headers,
            body: Array(bytes[head + 4..<head + 4 + length]), connection: number)
        return (request, head + 4 + length)
    }
}
