import AppStoreSimulator
import HTTPClient
import JSON
import Support
import System
import Testing

@Suite("appstore-simulator serve --http")
struct HTTPTests {
    private static let list = "/inApps/v1/messaging/message/list"
    private static let message = "/inApps/v1/messaging/message/33333333-3333-4333-8333-333333333333"

    /// The simulator with HTTP at two ports that were free.
    private static func start(_ options: [String] = [], in folder: TemporaryDirectory) throws -> (
        process: SimulatorProcess, port: UInt16
    ) {
        for _ in 0..<20 {
            let port = UInt16.random(in: 20_000..<32_000)
            if let process = try? SimulatorProcess(options, http: port, in: folder) { return (process, port) }
        }
        throw SystemCallError(call: "bind", .einval)
    }

    private static func send(
        _ method: String, _ path: String, body: [UInt8] = [], type: String = "application/json", port: UInt16,
        token: String
    ) throws -> HTTPResponse {
        var request = HTTPRequest(method: method, url: "http://127.0.0.1:\(port)\(path)")
        request.headers = [("Authorization", token), ("Content-Type", type)]
        request.body = body
        return try HTTPClient().perform(request)
    }

    @Test("answers any app in both environments, and says which call was refused")
    func calls() throws {
        let folder = try SimulatorProcess.makeFolder()
        let (process, port) = try Self.start(["--fault", "lost-answer=100:deleteMessage"], in: folder)
        let token = try process.token("com.example.unnamed")
        let body = Array(#"{"header":"Stay","body":"Please"}"#.utf8)
        func status(_ method: String, _ path: String, _ bytes: [UInt8] = [], _ port: UInt16) throws -> Int {
            try Self.send(method, path, body: bytes, port: port, token: token).status
        }
        #expect(try status("PUT", Self.message, body, port + 1) == 200)
        #expect(try status("PUT", Self.message, body, port + 1) == 409)
        let sandbox = try Self.send("GET", Self.list, port: port + 1, token: token).body
        let production = try Self.send("GET", Self.list, port: port, token: token).body
        #expect(sandbox.count > production.count)
        // Larger than what arrives at once, and refused as no PNG.
        let image = Self.message.replacing("/message/", with: "/image/")
        let noImage = [UInt8](repeating: 7, count: 5 << 20)
        let refused = try Self.send("PUT", image, body: noImage, type: "image/png", port: port, token: token)
        #expect(refused.status == 400)
        #expect(throws: HTTPClientError.self) { try status("DELETE", Self.message, [], port + 1) }
        let at = ["--url", "http://127.0.0.1:\(port)"]
        let app = ["--bundle-id", "com.example.unnamed"]
        #expect(try status("PUT", Self.message, body, port) == 200)
        let unnamed = try Tool.simulate(["review", "approve", "--all"] + at)
        #expect(
            unnamed.status == 1
                && unnamed.errors.contains("error: simulator.refused: the simulator knows no app"),
            "\(unnamed)")
        let unknown = try Tool.simulate(
            ["review", "reject", "44444444-4444-4444-8444-444444444444"] + at + app)
        #expect(
            unknown.status == 1 && unknown.errors.contains("simulator.refused: the simulator has no message"),
            "\(unknown)")
        let approved = try Tool.simulate(["review", "approve", "--all"] + at + app)
        #expect(approved.status == 0)
        #expect(approved.output == "message 33333333-3333-4333-8333-333333333333 APPROVED\n")
        for words in [["reject"], ["reject", "--all", "x"], ["reject", "hero"], ["forget", "--all"]] {
            #expect(try Tool.simulate(["review"] + words + at).status == 64)
        }
        #expect(try process.end() == .exited(0))
        #expect(process.log.contains("Sandbox PUT \(Self.message) 409 {\"errorCode\":"))
        #expect(process.log.contains("Sandbox DELETE \(Self.message) lost\n"))
        #expect(!process.log.contains(" 200"))
    }

    @Test("refuses a request that is none, or has no length")
    func badRequests() throws {
        let folder = try SimulatorProcess.makeFolder()
        let (process, port) = try Self.start(in: folder)
        for (text, status) in [
            ("nonsense\r\n\r\n", 400), ("GET / SPDY/3\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
            ("PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 411),
            ("PUT / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413),
            ("GET /" + String(repeating: "a", count: 20_000), 431), ("GET / HTTP/1.1\r\n\r\n", 401),
        ] {
            let socket = try StreamSocket.connect(host: "127.0.0.1", port: port)
            _ = socket.send(Array(text.utf8).span)
            _ = try Readiness.wait(for: [socket.descriptor.number], timeoutMilliseconds: 20_000)
            var answer = [UInt8](repeating: 0, count: 1000)
            _ = socket.receive(into: &answer)
            #expect(answer.starts(with: Array("HTTP/1.1 \(status) ".utf8)), "\(text.prefix(50))")
        }
        #expect(try process.end() == .exited(0))
    }

    @Test(
        "notify ends with 1 and says what the endpoint answered, as serve does, or with 0 when it took everything"
    )
    func notify() throws {
        let folder = try SimulatorProcess.makeFolder()
        let authority = folder.path(of: "authority")
        try TestAuthority.create(in: authority, nowMilliseconds: Clock.wallMilliseconds())
        let (process, port) = try Self.start(["--authority", authority], in: folder)
        let nginx = try TLSServerProcess(
            nginx: """
                location /bad { return 401 '{"code":"bad-signature"}'; }
                location /good { return 200; }
                """,
            certificate: authority + "/tls-server.pem", key: authority + "/tls-server.key", in: folder)
        let words = ["notify", "DID_RENEW", "--count", "18", "--url", "http://127.0.0.1:\(port + 1)"]
        #expect(try Tool.simulate(words).errors.contains("simulator.refused: no URL for notifications"))
        let refused = try Tool.simulate(words + ["--to", "https://localhost:\(nginx.port)/bad"])
        #expect(refused.status == 1, "\(refused)")
        let answer = #"UNSUCCESSFUL_HTTP_RESPONSE_CODE: status 401 {"code":"bad-signature"}"#
        #expect(refused.output == "18 notifications\n18 times \(answer)\n")
        let taken = try Tool.simulate(words + ["--to", "https://localhost:\(nginx.port)/good", "--json"])
        let results = try Tool.document(taken).root.member("results")?.elements ?? []
        #expect(taken.status == 0 && results.map { $0.member("count")?.int64 } == [18], "\(taken)")
        #expect(results.first?.member("result")?.string == "SUCCESS")
        #expect(try process.end() == .exited(0))
        #expect(
            process.log.split(separator: "\n").filter { $0 == "Sandbox notification \(answer)" }.count == 18)
    }

    @Test("a customer buys, renews, and is sold no offer that is not good")
    func subscriber() throws {
        let folder = try SimulatorProcess.makeFolder()
        let authority = folder.path(of: "authority")
        try TestAuthority.create(in: authority, nowMilliseconds: Clock.wallMilliseconds())
        let (process, port) = try Self.start(
            ["--authority", authority, "--subscription", "pro_monthly=9990"], in: folder)
        func run(_ words: [String]) throws -> ProgramRun {
            try Tool.simulate(["subscriber"] + words + ["--url", "http://127.0.0.1:\(port + 1)"])
        }
        let buy = ["buy", "7", "--product", "pro_monthly", "--at", "2026-09-01T12:00:00Z"]
        #expect(try run(buy).errors.contains("error: simulator.refused: no URL for"))
        let to = ["notify", "--to", "https://127.0.0.1:1/", "--url", "http://127.0.0.1:\(port + 1)"]
        #expect(try Tool.simulate(to).status == 0)
        let bought = try run(buy)
        #expect(bought.status == 0, "\(bought)")
        let line =
            "2026-09-01T12:00:00Z  SUBSCRIBED.INITIAL_BUY: pro_monthly to 2026-10-01T12:00:00Z for 9990\n"
        #expect(bought.output == line)
        #expect(try run(buy).errors.contains("error: simulator.refused: the simulator has this"))
        let renewed = try Tool.document(run(["renew", "7", "--json"])).root.member("notifications")
        #expect(renewed?.element(at: 0)?.member("kind")?.string == "DID_RENEW")
        try folder.write(#"{"status":200,"body":{"promotionalOffer":{}}}"#, to: "answer.json")
        try folder.write("no JSON", to: "text")
        try folder.write([UInt8](repeating: 0x20, count: 50_000), to: "large")
        for (name, status) in [("answer.json", 1), ("text", 65), ("large", 65), ("missing", 65)]
            as [(String, Int32)]
        {
            let refused = try run(["accept", "7", "--answer", folder.path(of: name)])
            #expect(refused.status == status, "\(refused)")
            #expect(
                status != 1
                    || refused.errors.contains("error: simulator.refused: the answer is not one"))
        }
        for words in [["buy", "7"], ["buy", "x", "--product", "a"], ["accept", "7"], ["renew"]] {
            #expect(try run(words).status == 64, "\(words)")
        }
        let server = try LoopbackServer { _ in .respond(status: 200, body: Array("[]".utf8)) }
        defer { server.stop() }
        let nobody = try Tool.simulate(["subscriber", "renew", "7", "--url", server.url("/")])
        #expect(nobody.status == 69 && nobody.errors.contains("simulator.unreachable"), "\(nobody)")
        #expect(try process.end() == .exited(0))
    }
}
