import JSON
import Support
import Synchronization
import System
import Testing

@Suite("appstore-simulator signs and sends")
struct RequestTests {
    private static let message = #"{"message":{"messageIdentifier":"6584bedf-2ed0-4c01-93ed-c0c64a1670cc"}}"#

    @Test("sends a request as Apple does and prints status, body, times and verdict")
    func request() throws {
        let received = Mutex<LoopbackServer.Request?>(nil)
        let server = try LoopbackServer { request in
            received.withLock { $0 = request }
            return .respond(status: 200, body: Array(Self.message.utf8))
        }
        defer { server.stop() }
        let tool = try Tool()
        let run = try Tool.simulate(["request", "--url", server.url("/r")] + tool.signing)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        let request = try #require(received.withLock { $0 })
        #expect(request.method == "POST")
        #expect(request.path == "/r")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.body.starts(with: Array(#"{"signedPayload":"eyJ"#.utf8)))
        #expect(lines.prefix(2) == ["200 application/json", Self.message])
        #expect(lines[2].contains(" ms (connected after "))
        #expect(lines.last == "SUCCESS")
    }

    @Test(
        "ends with 1 for an answer that Apple would not accept, and says why",
        arguments: [
            (200, "{}", "INVALID_RESPONSE", "the body does not have exactly one member"),
            (503, "{\"code\":\"no-answer\"}", "UNSUCCESSFUL_HTTP_RESPONSE_CODE", nil),
        ] as [(Int, String, String, String?)]
    )
    func badAnswer(status: Int, body: String, result: String, flaw: String?) throws {
        let server = try LoopbackServer { _ in .respond(status: status, body: Array(body.utf8)) }
        defer { server.stop() }
        let tool = try Tool()
        let run = try Tool.simulate(["request", "--url", server.url("/"), "--json"] + tool.signing)
        #expect(run.status == 1)
        let root = try Tool.document(run).root
        #expect(root.member("status")?.int64 == Int64(status))
        #expect(root.member("result")?.string == result)
        #expect(root.member("flaw")?.string == flaw)
        #expect(root.member("body")?.kind == .object)
        #expect((root.member("microseconds")?.member("total")?.int64 ?? 0) > 0)
    }

    @Test(
        "prints Apple's result object with PASS or FAIL, and ends with 0 or 1",
        arguments: [(200, "PASS", 0), (500, "FAIL", 1)] as [(Int, String, Int32)]
    )
    func performanceTest(status: Int, verdict: String, exit: Int32) throws {
        let server = try LoopbackServer { _ in .respond(status: status, body: Array(Self.message.utf8)) }
        defer { server.stop() }
        let tool = try Tool()
        let arguments =
            ["performance-test", "--url", server.url("/"), "--total-requests", "30"]
            + ["--response-time-threshold", "20000"] + tool.signing
        let text = try Tool.simulate(arguments)
        #expect(text.status == exit)
        #expect(text.output.hasSuffix("\nstatuses: \(status) 30 times\n\(verdict)\n"), "\(text.output)")
        let times = try #require(text.output.split(separator: "\n").first { $0.hasPrefix("times: average ") })
        #expect(times.split(separator: ", ").count == 5)
        #expect(times.split(separator: ", ").allSatisfy { $0.hasSuffix(" ms") && $0.contains(".") })
        #expect(text.output.contains("\n30 answers, "))
        #expect(text.errors.isEmpty)
        let json = try Tool.simulate(arguments + ["--json"])
        #expect(json.status == exit)
        let root = try Tool.document(json).root
        #expect(root.member("result")?.string == verdict)
        #expect(root.member("config")?.member("totalRequests")?.int64 == 30)
        #expect(root.members.count == 7)
    }

    /// Accepts a connection on a listening socket, reads the first bytes and answers in plain HTTP.
    private static func answerWithoutTLS(_ number: Int32) {
        guard let copy = try? FileDescriptor.duplicate(of: number),
            let listener = try? ListeningSocket(adopting: copy),
            (try? Readiness.wait(for: [number], timeoutMilliseconds: 20_000))?.isEmpty == false,
            case .connection(let socket) = listener.accept()
        else { return }
        _ = try? Readiness.wait(for: [socket.descriptor.number], timeoutMilliseconds: 20_000)
        var hello = [UInt8](repeating: 0, count: 16_384)
        _ = socket.receive(into: &hello)
        try? socket.descriptor.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).span)
    }

    @Test("prints the reason when a performance test gets no answers, and no rate")
    func noAnswers() throws {
        let port = try LoopbackPort.free(1)[0]
        let tool = try Tool()
        func lines(_ url: String, _ more: [String] = []) throws -> [String] {
            let arguments = ["performance-test", "--url", url, "--total-requests", "3"]
            let run = try Tool.simulate(arguments + more + tool.signing)
            #expect(run.status == 1, "\(run)")
            return run.output.split(separator: "\n").suffix(3).map(String.init)
        }
        #expect(
            try lines("http://127.0.0.1:\(port)/") == [
                "no answers",
                "SOCKET_ISSUE 3 times: no connection to the server: Connection refused", "FAIL",
            ]
        )
        // A server without TLS, which answers the start of a TLS handshake in plain HTTP.
        let listener = try ListeningSocket(host: "127.0.0.1", port: 0, backlog: 8)
        let address = "https://127.0.0.1:\(listener.port)/"
        let number = listener.descriptor.number
        let server = try JoinableThread { () -> Bool in
            for _ in 1...3 { Self.answerWithoutTLS(number) }
            return true
        }
        let found = try lines(address)
        #expect(server.join() == true)
        _ = consume listener
        #expect(found[0] == "no answers" && found[2] == "FAIL")
        #expect(found[1].hasPrefix("TLS_ISSUE 3 times: TLS failed: "), "\(found)")
    }

    /// A status and a code for each reason why a request gets no answer, and for options that cannot be right.
    @Test(
        "ends with a status and a code for each reason why there is no answer",
        arguments: [
            (["--url", "http://127.0.0.1:1/"], 69, "error: http.unreachable: "),
            (["--url", "ftp://127.0.0.1/"], 64, "error: http.bad-url: "),
            (
                ["--url", "https://127.0.0.1:1/", "--cacert", "/nonexistent"], 69,
                "error: http.unreachable: "
            ),
            ([], 64, "Error: Give either --url or --print."),
            (["--url", "http://127.0.0.1:1/", "--jws"], 64, "Error: --jws needs --print."),
        ]
    )
    func failures(arguments: [String], status: Int32, message: String) throws {
        let tool = try Tool()
        let run = try Tool.simulate(["request"] + tool.signing + arguments)
        #expect(run.status == status)
        #expect(run.errors.hasPrefix(message), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("makes an authority, and never overwrites one")
    func authority() throws {
        let tool = try Tool()
        let before = try tool.folder.read("authority/leaf.key")
        #expect(try Tool.simulate(["init", tool.authority]).status == 65)
        #expect(try tool.folder.read("authority/leaf.key") == before)
        #expect(try FileStatus(path: tool.authority + "/leaf.key").permissions == 0o600)
        #expect(
            try Tool.simulate(["init", tool.folder.path(of: "other")]).output.contains("other/root.pem\n"))
        let failed = try Tool.simulate(["init", "/proc/a"])
        #expect(failed.status == 65 && failed.errors.hasPrefix("/proc/a: error: system.enoent: mkdir: "))
    }

    @Test(
        "has help with an example for every command",
        arguments: ["init", "request", "performance-test", "serve", "review", "notify", "subscriber buy"]
    )
    func help(command: String) throws {
        let run = try Tool.simulate(command.split(separator: " ").map(String.init) + ["--help"])
        #expect(run.status == 0)
        #expect(run.output.contains("appstore-simulator \(command) ") && run.output.contains("Example"))
    }
}
