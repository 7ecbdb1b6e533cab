internal import AppStoreSimulator
internal import System

/// Plain HTTP/1.1 on loopback, to try the simulator without nginx: one request on each connection, its body with a
/// Content-Length (RFC 9112).
final class HTTPSource: RequestSource {
    private final class Listener {
        let socket: ListeningSocket
        let environment: Environment

        init(_ host: String, _ port: UInt16, _ environment: Environment) throws {
            socket = try ListeningSocket(host: host, port: port, backlog: 511)
            self.environment = environment
        }
    }

    private final class Connection {
        let socket: StreamSocket
        let environment: Environment
        let acceptedAt = Clock.monotonicNanoseconds()
        var received: [UInt8] = []
        /// What is still to be sent; nil while the request is read.
        var answer: [UInt8]?
        var sendsAt: UInt64 = 0

        init(_ socket: consuming StreamSocket, _ environment: Environment) {
            self.socket = socket
            self.environment = environment
        }
    }

    private var listeners: [Listener]
    private var connections: [Connection] = []
    private var block = [UInt8](repeating: 0, count: 1 << 18)

    private static let connectionCount = 256
    private static let headByteCount = 16 << 10
    /// How long a client may take to send its request.
    private static let readingNanoseconds: UInt64 = 60_000_000_000
    /// How long the source sleeps at most while an answer waits for its time, or for a client that reads slowly.
    private static let sendingMilliseconds: Int32 = 5

    /// Listens for Production at a port, and for Sandbox at the next one.
    init(host: String, port: UInt16) throws {
        listeners = [
            try Listener(host, port, .production), try Listener(host, port + 1, .sandbox),
        ]
    }

    var hasConnections: Bool { !connections.isEmpty }

    func turn(
        timeoutMilliseconds: Int32?, signals: Int32, answer: (SimulatorRequest) -> SimulatorAnswer
    ) throws -> Bool {
        let isSending = connections.contains { $0.answer != nil }
        let timeout = timeoutMilliseconds ?? (connections.isEmpty ? -1 : 1000)
        let reading = connections.filter { $0.answer == nil }
        let numbers =
            [signals] + listeners.map { $0.socket.descriptor.number }
            + reading.map { $0.socket.descriptor.number }
        let ready = try Readiness.wait(
            for: numbers,
            timeoutMilliseconds: isSending
                ? min(Self.sendingMilliseconds, timeout < 0 ? 5 : timeout) : timeout)
        for index in ready.dropFirst(ready.first == 0 ? 1 : 0) where index <= listeners.count {
            accept(listeners[index - 1])
        }
        for index in ready where index > listeners.count {
            read(reading[index - 1 - listeners.count], answer)
        }
        sendAnswers()
        return ready.first == 0
    }

    func drain(answer: (SimulatorRequest) -> SimulatorAnswer) {
        listeners = []
        connections.removeAll { $0.answer == nil }
        for connection in connections { connection.sendsAt = 0 }
    }

    private func accept(_ listener: Listener) {
        while connections.count < Self.connectionCount,
            case .connection(let socket) = listener.socket.accept()
        {
            connections.append(Connection(socket, listener.environment))
        }
    }

    private func read(_ connection: Connection, _ answer: (SimulatorRequest) -> SimulatorAnswer) {
        switch connection.socket.receive(into: &block) {
        case .bytes(let count): connection.received += block[..<count]
        case .nothing: return
        case .end: return connections.removeAll { $0 === connection }
        }
        switch HTTPHead.Outcome(connection.received, limitBytes: Self.headByteCount) {
        case .incomplete: return
        case .refused(let status): connection.answer = Self.text(SimulatorAnswer(status: status))
        case .head(let head):
            let expected = head.byteCount + head.bodyByteCount
            guard connection.received.count >= expected else {
                if head.expectsContinue, connection.received.count == head.byteCount {
                    _ = connection.socket.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8).span)
                }
                return
            }
            let request = SimulatorRequest(
                environment: connection.environment, method: head.method, target: head.target,
                contentType: head.fields["content-type"], authorization: head.fields["authorization"],
                body: Array(connection.received[head.byteCount..<expected]))
            let answer = answer(request)
            guard !answer.isLost else { return connections.removeAll { $0 === connection } }
            connection.answer = Self.text(answer)
            connection.sendsAt = Clock.monotonicNanoseconds() + UInt64(answer.delayMilliseconds) * 1_000_000
        }
    }

    /// Sends what is due, and closes the connections that are done or have waited too long for a request.
    private func sendAnswers() {
        let now = Clock.monotonicNanoseconds()
        connections.removeAll { connection in
            guard let answer = connection.answer else {
                return now > connection.acceptedAt + Self.readingNanoseconds
            }
            guard now >= connection.sendsAt else { return false }
            switch connection.socket.send(answer.span) {
            case .bytes(let count) where count < answer.count:
                connection.answer = Array(answer[count...])
                return false
            case .full: return false
            case .bytes, .gone: return true
            }
        }
    }

    private static func text(_ answer: SimulatorAnswer) -> [UInt8] {
        var head = "HTTP/1.1 \(answer.status) \r\nContent-Type: application/json\r\nContent-Length: "
        head += "\(answer.body.count)\r\nConnection: close\r\n"
        if let time = answer.retryAfterMilliseconds { head += "Retry-After: \(time)\r\n" }
        return Array((head + "\r\n").utf8) + answer.body
    }
}

/// The request line and the header of a request.
private struct HTTPHead {
    enum Outcome {
        case incomplete
        case refused(status: Int)
        case head(HTTPHead)
    }

    let method: String
    let target: String
    /// The header fields by their names in lower case.
    let fields: [String: String]
    /// The bytes up to the body.
    let byteCount: Int
    let bodyByteCount: Int

    var expectsContinue: Bool { fields["expect"]?.lowercased() == "100-continue" }
}

extension HTTPHead.Outcome {
    init(_ received: [UInt8], limitBytes: Int) {
        guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else {
            self = received.count < limitBytes ? .incomplete : .refused(status: 431)
            return
        }
        guard let text = String(validating: received[..<end.lowerBound], as: UTF8.self) else {
            self = .refused(status: 400)
            return
        }
        let lines = text.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
            self = .refused(status: 400)
            return
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else { continue }
            let value = halves[1].drop { $0 == " " }
            fields[halves[0].lowercased()] = String(value)
        }
        let length = fields["content-length"].map { Int($0) } ?? 0
        guard fields["transfer-encoding"] == nil, let length, length >= 0 else {
            self = .refused(status: 411)
            return
        }
        guard length <= SimulatorLimits.imageByteCount else {
            self = .refused(status: 413)
            return
        }
        self = .head(
            HTTPHead(
                method: String(words[0]), target: String(words[1]), fields: fields, byteCount: end.upperBound,
                bodyByteCount: length)
        )
    }
}
