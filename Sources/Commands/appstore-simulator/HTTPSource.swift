internal import AppStoreSimulator
internal import System

/// Plain HTTP/1.1 on loopback, to try the simulator without nginx (RFC 9112): one connection after the other.
final class HTTPSource: RequestSource {
    private let production: ListeningSocket
    private let sandbox: ListeningSocket
    private var block = [UInt8](repeating: 0, count: 1 << 18)

    /// How long a client may pause within its request, and how long it may take to read its answer.
    private static let clientMilliseconds: Int32 = 5000

    /// Listens for Production at a port, and for Sandbox at the next one.
    init(host: String, port: UInt16) throws {
        production = try ListeningSocket(host: host, port: port, backlog: 511)
        sandbox = try ListeningSocket(host: host, port: port + 1, backlog: 511)
    }

    /// Each connection is closed before ``turn(timeoutMilliseconds:signals:answer:)`` returns.
    var hasConnections: Bool { false }

    func turn(
        timeoutMilliseconds: Int32?, signals: Int32, answer: (SimulatorRequest) -> SimulatorAnswer
    ) throws -> Bool {
        let ready = try Readiness.wait(
            for: [signals, production.descriptor.number, sandbox.descriptor.number],
            timeoutMilliseconds: timeoutMilliseconds ?? -1)
        if ready.contains(1), case .connection(let socket) = production.accept() {
            try serve(socket, .production, signals, answer)
        }
        if ready.contains(2), case .connection(let socket) = sandbox.accept() {
            try serve(socket, .sandbox, signals, answer)
        }
        return ready.contains(0)
    }

    func drain(answer: (SimulatorRequest) -> SimulatorAnswer) {}

    private func serve(
        _ socket: borrowing StreamSocket, _ environment: Environment, _ signals: Int32,
        _ answer: (SimulatorRequest) -> SimulatorAnswer
    ) throws {
        let request: SimulatorRequest
        do throws(SimulatorAnswer) {
            guard let read = try read(socket, environment) else { return }
            request = read
        } catch {
            return send(error, to: socket)
        }
        let answer = answer(request)
        guard !answer.isLost else { return }
        if answer.delayMilliseconds > 0 {
            // A signal ends the wait.
            _ = try Readiness.wait(
                for: [signals], timeoutMilliseconds: Int32(clamping: answer.delayMilliseconds))
        }
        send(answer, to: socket)
    }

    private func read(_ socket: borrowing StreamSocket, _ environment: Environment)
        throws(SimulatorAnswer) -> SimulatorRequest?
    {
        var received: [UInt8] = []
        var head: HTTPHead?
        while head.map({ received.count < $0.byteCount + $0.bodyByteCount }) ?? true {
            let ready = try? Readiness.wait(
                for: [socket.descriptor.number], timeoutMilliseconds: Self.clientMilliseconds)
            guard ready == [0], case .bytes(let count) = socket.receive(into: &block) else { return nil }
            received += block[..<count]
            guard head == nil else { continue }
            head = try HTTPHead(received)
            if head?.fields["expect"]?.lowercased() == "100-continue" {
                _ = socket.send("HTTP/1.1 100 Continue\r\n\r\n".utf8Span.span)
            }
        }
        return head.map { head in
            SimulatorRequest(
                environment: environment, method: head.method, target: head.target,
                contentType: head.fields["content-type"], authorization: head.fields["authorization"],
                body: Array(received[head.byteCount...].prefix(head.bodyByteCount)))
        }
    }

    private func send(_ answer: SimulatorAnswer, to socket: borrowing StreamSocket) {
        var head = "HTTP/1.1 \(answer.status) \r\nContent-Type: application/json\r\nContent-Length: "
        head += "\(answer.body.count)\r\nConnection: close\r\n"
        if let time = answer.retryAfterMilliseconds { head += "Retry-After: \(time)\r\n" }
        var rest = (Array((head + "\r\n").utf8) + answer.body)[...]
        let end = Clock.monotonicNanoseconds() + UInt64(Self.clientMilliseconds) * 1_000_000
        while !rest.isEmpty, Clock.monotonicNanoseconds() < end {
            switch socket.send(rest.span) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .full: Clock.sleep(milliseconds: 1)
            case .gone: return
            }
        }
    }
}

private struct HTTPHead {
    let method: String
    let target: String
    /// The header fields by their names in lower case.
    let fields: [String: String]
    let byteCount: Int
    let bodyByteCount: Int

    private static let limitBytes = 16 << 10

    init?(_ received: [UInt8]) throws(SimulatorAnswer) {
        guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else {
            guard received.count < Self.limitBytes else { throw SimulatorAnswer(status: 431) }
            return nil
        }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { throw SimulatorAnswer(status: 400) }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else { continue }
            fields[halves[0].lowercased()] = String(halves[1].drop { $0 == " " })
        }
        guard fields["transfer-encoding"] == nil, let length = Int(fields["content-length"] ?? "0"),
            length >= 0
        else { throw SimulatorAnswer(status: 411) }
        guard length <= SimulatorLimits.imageByteCount else { throw SimulatorAnswer(status: 413) }
        (method, target, self.fields) = (String(words[0]), String(words[1]), fields)
        (byteCount, bodyByteCount) = (end.upperBound, length)
    }
}
