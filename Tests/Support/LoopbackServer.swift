internal import Glibc
internal import Synchronization
internal import System

package final class LoopbackServer: Sendable {
    package struct Request: Sendable {
        package let method: String
        package let path: String
        /// Header fields by their names in lower case.
        package let headers: [String: String]
        package let body: [UInt8]
        package let connection: Int
    }

    package enum Reply: Sendable {
        case respond(status: Int, headers: [String] = ["Content-Type: application/json"], body: [UInt8] = [])
        case raw([UInt8])
        case close
        case hang
        /// Says that the tunnel is open, as a proxy does after CONNECT, and hands bytes on to and from this port of 127.0.0.1.
        case tunnel(to: UInt16)
    }

    package let port: UInt16
    private let listener: ListeningSocket
    private let connections = Atomic<Int>(0)
    private let ended = Atomic<Int>(0)
    private let greeting: [UInt8]
    private let answer: @Sendable (Request) -> Reply

    package init(greeting: [UInt8] = [], _ answer: @escaping @Sendable (Request) -> Reply) throws {
        self.answer = answer
        self.greeting = greeting
        // A write to a client that has gone must not end the process.
        signal(SIGPIPE, SIG_IGN)
        listener = try ListeningSocket(host: "127.0.0.1", port: 0, backlog: 128)
        port = listener.port
        try ServiceThread.start { [self] in
            while true {
                _ = try? Readiness.wait(for: [listener.descriptor.number], timeoutMilliseconds: -1)
                guard case .connection(let socket) = listener.accept() else { break }
                try? socket.descriptor.setNonBlocking(false)
                let number = connections.wrappingAdd(1, ordering: .relaxed).oldValue
                let box = Connection(socket)
                try? ServiceThread.start { [self] in
                    serve(box.socket.descriptor, number)
                    ended.wrappingAdd(1, ordering: .releasing)
                }
            }
        }
    }

    package func stop() {
        Glibc.shutdown(listener.descriptor.number, Int32(SHUT_RDWR))
    }

    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Waits until no connection is open: a request of a client that was killed may still be under way.
    package func waitUntilIdle() {
        func isWaiting() -> Bool {
            (try? Readiness.wait(for: [listener.descriptor.number], timeoutMilliseconds: 0)) != []
        }
        while isWaiting() || ended.load(ordering: .acquiring) < connectionCount {
            Clock.sleep(milliseconds: 1)
        }
    }

    package var connectionCount: Int { connections.load(ordering: .relaxed) }

    /// A closure cannot hold a noncopyable value.
    private final class Connection: Sendable {
        let socket: StreamSocket
        init(_ socket: consuming StreamSocket) { self.socket = socket }
    }

    private func serve(_ connection: borrowing FileDescriptor, _ number: Int) {
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

package enum LoopbackPort {
    /// Returns `count` different TCP ports on 127.0.0.1 on which nothing listens now. Another process may take a port
    /// before the test uses it; the way in which the kernel chooses ephemeral ports makes this rare.
    package static func free(_ count: Int) throws -> [UInt16] {
        guard count > 0 else { return [] }
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0, backlog: 1)
        let others = try free(count - 1)
        return [socket.port] + others
    }
}
