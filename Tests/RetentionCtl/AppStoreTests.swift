import JSON
import Support
import Synchronization
import Testing

@Suite("retentionctl appstore", .timeLimit(.minutes(1)))
struct AppStoreTests {
    private static let message = #"{"message":{"messageIdentifier":"6584bedf-2ed0-4c01-93ed-c0c64a1670cc"}}"#

    @Test("signs as many different requests as it is told to")
    func count() throws {
        let tool = try Tool()
        let run = try Tool.run(["appstore", "sign", "--count", "50"] + tool.signing)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 50)
        #expect(Set(lines).count == 50)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"signedPayload\":\"eyJ") })
    }

    @Test("sends a request as Apple does and prints status, body, times and verdict")
    func request() throws {
        let received = Mutex<LoopbackServer.Request?>(nil)
        let server = try LoopbackServer { request in
            received.withLock { $0 = request }
            return .respond(status: 200, body: Array(Self.message.utf8))
        }
        defer { server.stop() }
        let tool = try Tool()
        let run = try Tool.run(
            ["appstore", "request", "--url", server.url("/r"), "--print-body"] + tool.signing
        )
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        let request = try #require(received.withLock { $0 })
        #expect(request.method == "POST")
        #expect(request.path == "/r")
        #expect(request.headers["content-type"] == "application/json")
        #expect(lines.first == String(decoding: request.body, as: UTF8.self))
        #expect(lines.dropFirst().prefix(2) == ["200 application/json", Self.message])
        #expect(lines[3].contains(" ms (connected after "))
        #expect(lines.last == "SUCCESS")
    }

    @Test(
        "ends with 1 for an answer that Apple would not take, and says why",
        arguments: [
            (200, "{}", "INVALID_RESPONSE", "the body does not have exactly one member"),
            (503, "{\"code\":\"no-answer\"}", "UNSUCCESSFUL_HTTP_RESPONSE_CODE", nil),
        ] as [(Int, String, String, String?)]
    )
    func badAnswer(status: Int, body: String, result: String, flaw: String?) throws {
        let server = try LoopbackServer { _ in .respond(status: status, body: Array(body.utf8)) }
        defer { server.stop() }
        let tool = try Tool()
        let run = try Tool.run(["appstore", "request", "--url", server.url("/"), "--json"] + tool.signing)
        #expect(run.status == 1)
        let root = try Tool.document(run).root
        #expect(root.member("status")?.int64 == Int64(status))
        #expect(root.member("result")?.string == result)
        #expect(root.member("flaw")?.string == flaw)
        #expect(root.member("body")?.kind == .object)
        #expect((root.member("microseconds")?.member("total")?.int64 ?? 0) > 0)
    }

    @Test(
        "prints Apple's result object, PASS or FAIL, and ends accordingly",
        arguments: [(200, "PASS", 0), (500, "FAIL", 1)] as [(Int, String, Int32)]
    )
    func performanceTest(status: Int, verdict: String, exit: Int32) throws {
        let server = try LoopbackServer { _ in .respond(status: status, body: Array(Self.message.utf8)) }
        defer { server.stop() }
        let tool = try Tool()
        let arguments =
            ["appstore", "performance-test", "--url", server.url("/"), "--total-requests", "30"]
            + ["--response-time-threshold", "20000"] + tool.signing
        let text = try Tool.run(arguments)
        #expect(text.status == exit)
        #expect(text.output.hasSuffix("\n\(verdict)\n"))
        #expect(text.errors.isEmpty)
        let json = try Tool.run(arguments + ["--json"])
        #expect(json.status == exit)
        let root = try Tool.document(json).root
        #expect(root.member("result")?.string == verdict)
        #expect(root.member("config")?.member("totalRequests")?.int64 == 30)
        #expect(root.members.count == 7)
    }
}
