import HTTPClient
import Support
import Synchronization
import System
import Testing

@Suite("The HTTP client")
struct HTTPClientTests {
    @Test("sends method, header fields and body, and returns status, type and body")
    func roundTrip() throws {
        let server = try LoopbackServer { request in
            let seen = "\(request.method) \(request.path) \(request.headers["content-type"] ?? "-") "
            return .respond(status: 418, body: Array(seen.utf8) + request.body)
        }
        defer { server.stop() }
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let response = try HTTPClient().perform(.postJSON(body, to: server.url("/a?b=c")))
        #expect(response.status == 418)
        #expect(response.contentType == "application/json")
        #expect(response.body == Array("POST /a?b=c application/json ".utf8) + body)
        #expect(response.timings.totalMicroseconds >= response.timings.connectMicroseconds)
        #expect(response.timings.usedNewConnection)
    }

    @Test(
        "says why there is no answer",
        arguments: [
            ("/close", .noResponse), ("/partial", .closedEarly), ("/status", .closedEarly),
            ("/field", .closedEarly), ("/hang", .timedOut), ("/large", .responseTooLarge),
            ("/circle", .tooManyRedirections), ("/garbage", .notHTTP),
        ] as [(String, HTTPClientError)]
    )
    func failures(path: String, expected: HTTPClientError) throws {
        let server = try LoopbackServer(Self.misbehave)
        defer { server.stop() }
        var configuration = HTTPClientConfiguration()
        configuration.timeoutMilliseconds = path == "/hang" ? 200 : 20_000
        configuration.redirectionCount = 3
        configuration.responseByteCount = 1000
        let client = try HTTPClient(configuration: configuration)
        let error = #expect(throws: HTTPClientError.self) {
            try client.perform(.postJSON([], to: server.url(path)))
        }
        #expect(error == expected)
    }

    @Test(
        "takes the header for the answer when it is told to, whatever becomes of the body",
        arguments: [
            ("/partial", 200), ("/large", 200), ("/close", nil), ("/status", nil),
            ("/field", nil), ("/hang", nil), ("/continue", nil),
        ] as [(String, Int?)]
    )
    func headerAlone(path: String, status: Int?) throws {
        let server = try LoopbackServer(Self.misbehave)
        defer { server.stop() }
        var configuration = HTTPClientConfiguration()
        configuration.timeoutMilliseconds = path == "/hang" ? 500 : 20_000
        configuration.responseByteCount = 1000
        configuration.needsWholeBody = false
        let client = try HTTPClient(configuration: configuration)
        let response = try? client.perform(.postJSON([], to: server.url(path)))
        #expect(response?.status == status)
        #expect(response.map { $0.body.count <= 1000 } ?? true)
        // The next request gets its own answer.
        #expect(try client.perform(.postJSON([], to: server.url("/none"))).status == 204)
    }

    @Test(
        "fails for wrong and unreachable addresses without sending anything",
        arguments: [
            ("ftp://127.0.0.1/", "http.bad-url"), ("file:///etc/passwd", "http.bad-url"),
            ("http://", "http.bad-url"), ("http://127.0.0.1:1/", "http.unreachable"),
        ]
    )
    func addresses(url: String, code: String) throws {
        let error = #expect(throws: HTTPClientError.self) {
            try HTTPClient().perform(HTTPRequest(method: "GET", url: url))
        }
        #expect(error?.code == code)
    }

    @Test("reports a TLS error for a server that does not speak TLS")
    func noTLS() throws {
        let server = try LoopbackServer(greeting: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) { _ in
            .close
        }
        defer { server.stop() }
        let error = #expect(throws: HTTPClientError.self) {
            try HTTPClient().perform(.postJSON([], to: "https://127.0.0.1:\(server.port)/"))
        }
        #expect(error?.code == "http.unreachable")
    }

    @Test("reports that the file of authorities is missing")
    func authorities() throws {
        var configuration = HTTPClientConfiguration()
        configuration.authoritiesFile = "/nonexistent/ca.pem"
        let server = try LoopbackServer { _ in .close }
        defer { server.stop() }
        let client = try HTTPClient(configuration: configuration)
        let error = #expect(throws: HTTPClientError.self) {
            try client.perform(.postJSON([], to: "https://127.0.0.1:\(server.port)/"))
        }
        #expect(error?.code == "http.bad-authorities")
    }

    @Test("keeps its connections, unless told not to", arguments: [true, false])
    func connections(keeps: Bool) throws {
        let server = try LoopbackServer { _ in .respond(status: 200) }
        defer { server.stop() }
        var configuration = HTTPClientConfiguration()
        configuration.keepsConnections = keeps
        let client = try HTTPClient(configuration: configuration)
        for _ in 0..<5 { _ = try client.perform(.postJSON([], to: server.url("/"))) }
        #expect(server.connectionCount == (keeps ? 1 : 5))
    }

    @Test(
        "sends no request twice when it keeps no connection; libcurl repeats a request on a kept connection that closes",
        arguments: [true, false]
    )
    func lostAnswer(keeps: Bool) throws {
        let received = Received()
        let server = try LoopbackServer { _ in received.add() == 2 ? .close : .respond(status: 200) }
        defer { server.stop() }
        var configuration = HTTPClientConfiguration()
        configuration.keepsConnections = keeps
        let client = try HTTPClient(configuration: configuration)
        _ = try client.perform(.postJSON([1], to: server.url("/")))
        let second = try? client.perform(.postJSON([2], to: server.url("/")))
        #expect(second?.status == (keeps ? 200 : nil))
        #expect(received.count == (keeps ? 3 : 2))
    }

    @Test("sends many requests at once, never more than allowed, and each gets its own answer once")
    func many() throws {
        let underWay = Counter()
        let server = try LoopbackServer { request in
            underWay.enter()
            defer { underWay.leave() }
            return .respond(status: 200, body: request.body)
        }
        defer { server.stop() }
        let client = try HTTPClient()
        var sent = 0
        var seen = Set<Int>()
        let left = try client.performAll(concurrency: 8) {
            guard sent < 500 else { return nil }
            sent += 1
            return .postJSON(Array("\(sent - 1)".utf8), to: server.url("/"))
        } finished: { number, outcome in
            #expect((try? outcome.get().body) == Array("\(number)".utf8))
            #expect(seen.insert(number).inserted)
        }
        #expect(left == 0)
        #expect(seen.count == 500)
        #expect(underWay.highest <= 8)
        #expect(server.connectionCount <= 8)
    }

    @Test("drops requests under way when it is told to stop, and can be used again")
    func dropping() throws {
        let server = try LoopbackServer { $0.path == "/hang" ? .hang : .respond(status: 204) }
        defer { server.stop() }
        let client = try HTTPClient()
        var looks = 0
        let left = try client.performAll(concurrency: 3) {
            looks += 1
            return looks > 2
        } next: {
            .postJSON([], to: server.url("/hang"))
        } finished: { _, _ in
            Issue.record("a request finished that has no answer")
        }
        #expect(left == 3)
        #expect(try client.perform(.postJSON([], to: server.url("/"))).status == 204)
    }

    private static func misbehave(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        switch request.path {
        case "/close": .close
        case "/partial": .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".utf8))
        case "/status": .raw(Array("HTTP/1.1 200 OK\r\n".utf8))
        case "/field": .raw(Array("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Le".utf8))
        case "/continue": .raw(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        case "/none": .respond(status: 204)
        case "/hang": .hang
        case "/large": .respond(status: 200, body: [UInt8](repeating: 32, count: 1001))
        case "/circle": .respond(status: 307, headers: ["Location: /circle"])
        default: .raw(Array("HTTP/9.9 what\r\nis this\r\n\r\n".utf8))
        }
    }
}

/// Counts the requests that are under way, and keeps the highest count.
private final class Counter: Sendable {
    private let state = Mutex((now: 0, highest: 0))

    func enter() {
        state.withLock {
            $0.now += 1
            $0.highest = max($0.highest, $0.now)
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }

    var highest: Int { state.withLock { $0.highest } }
}

/// Counts requests.
private final class Received: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() -> Int {
        number.withLock {
            $0 += 1
            return $0
        }
    }
}
