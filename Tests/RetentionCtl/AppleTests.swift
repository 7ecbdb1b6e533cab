import JSON
import Support
import System
import Testing

@Suite("retentionctl apple", .timeLimit(.minutes(5)))
struct AppleTests {
    private static let id = AppleWorld.message
    private static let config =
        #"{"maxConcurrentRequests":10,"totalRequests":100,"totalDuration":60000,"#
        + #""responseTimeThreshold":500,"successRateThreshold":95}"#
    private static let greatest = config.replacing("60000", with: "9223372036854775807")

    /// A command, the request that it makes, the answer, and what it prints.
    struct Row: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let calls: [String]
        var answer = ""
        let text: String
        let json: String
        var status: Int32 = 0
        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let rows: [Row] = [
        Row(
            arguments: ["message", "put", id, "--header", "h", "--body", "b"], calls: ["PUT /message/\(id)"],
            text: "com.example.app in Sandbox: message \(id) uploaded\n",
            json: #"{"environment":"Sandbox","messageIdentifier":"\#(id)","outcome":"confirmed"}"#),
        Row(
            arguments: ["message", "list"], calls: ["GET /message/list"],
            answer: #"{"messageIdentifiers":[{"messageIdentifier":"\#(id)","messageState":"PENDING"}]}"#,
            text: "\(id)  PENDING\n",
            json: #"{"messageIdentifiers":[{"messageIdentifier":"\#(id)","messageState":"PENDING"}]}"#),
        Row(
            arguments: ["message", "delete", id, "--confirm"], calls: ["DELETE /message/\(id)"],
            text: "com.example.app in Sandbox: message \(id) deleted\n",
            json: #"{"environment":"Sandbox","messageIdentifier":"\#(id)","outcome":"confirmed"}"#),
        Row(
            arguments: ["image", "list"], calls: ["GET /image/list"],
            answer: #"{"imageIdentifiers":[{"imageIdentifier":"\#(id)","imageState":"a\nb"}]}"#,
            text: "\(id)  a\\u{a}b  -\n",
            json: #"{"imageIdentifiers":[{"imageIdentifier":"\#(id)","imageState":"a\nb"}]}"#),
        Row(
            arguments: ["image", "delete", id, "--confirm"], calls: ["DELETE /image/\(id)"],
            text: "com.example.app in Sandbox: image \(id) deleted\n",
            json: #"{"environment":"Sandbox","imageIdentifier":"\#(id)","outcome":"confirmed"}"#),
        Row(
            arguments: ["default", "put", "pro", "de-DE", id, "--confirm"],
            calls: ["PUT /default/pro/de-DE"],
            text: "com.example.app in Sandbox: message \(id) is the default of pro in de-DE\n",
            json:
                #"{"environment":"Sandbox","productId":"pro","locale":"de-DE","messageIdentifier":"\#(id)","#
                + #""outcome":"confirmed"}"#
        ),
        Row(
            arguments: ["default", "get", "pro", "de-DE"], calls: ["GET /default/pro/de-DE"],
            answer: #"{"messageIdentifier":"\#(id)"}"#, text: "\(id)\n",
            json: #"{"messageIdentifier":"\#(id)"}"#),
        Row(
            arguments: ["default", "delete", "pro", "de-DE", "--confirm"],
            calls: ["DELETE /default/pro/de-DE"],
            text: "com.example.app in Sandbox: pro in de-DE has no default message now\n",
            json: #"{"environment":"Sandbox","productId":"pro","locale":"de-DE","outcome":"confirmed"}"#),
        Row(
            arguments: ["url", "put", "https://a/b", "--confirm"],
            calls: ["PUT /realtime/url"],
            text: "com.example.app in Sandbox: Apple's server asks https://a/b\n",
            json: #"{"environment":"Sandbox","realtimeURL":"https://a/b","outcome":"confirmed"}"#
        ),
        Row(
            arguments: ["url", "get"],
            calls: ["GET /realtime/url"],
            answer: #"{"realtimeURL":"https://a/b"}"#,
            text: "https://a/b\n",
            json: #"{"realtimeURL":"https://a/b"}"#
        ),
        Row(
            arguments: ["url", "delete", "--confirm"], calls: ["DELETE /realtime/url"],
            text: "com.example.app in Sandbox: Apple's server sends no real-time requests now\n",
            json: #"{"environment":"Sandbox","outcome":"confirmed"}"#),
        Row(
            arguments: ["performance-test", "start", "2000000001"], calls: ["POST /performanceTest"],
            answer: #"{"config":\#(config),"requestId":"R1"}"#, text: "R1\n",
            json: #"{"config":\#(config),"requestId":"R1"}"#),
        // Numbers that only a broken server sends.
        Row(
            arguments: ["performance-test", "start", "2000000002"], calls: ["POST /performanceTest"],
            answer: #"{"config":\#(greatest),"requestId":"R2"}"#, text: "R2\n",
            json: #"{"config":\#(greatest),"requestId":"R2"}"#),
        Row(
            arguments: ["performance-test", "result", "R1"],
            calls: ["GET /performanceTest/result/R1"],
            answer: #"{"target":"https://a","result":"FAIL","successRate":9,"failures":{"TLS_ISSUE":91}}"#,
            text: "target: https://a\nsuccess rate: 9 %\nTLS_ISSUE: 91\nFAIL\n",
            json: #"{"target":"https://a","result":"FAIL","successRate":9,"failures":{"TLS_ISSUE":91}}"#,
            status: 1
        ),
        Row(
            arguments: ["performance-test", "wait", "R1"],
            calls: ["GET /performanceTest/result/R1"],
            answer: #"{"result":"PASS","responseTimes":{"average":1,"p50":2,"p90":3,"p95":4,"p99":5}}"#,
            text: "times: average 1 ms, p50 2 ms, p90 3 ms, p95 4 ms, p99 5 ms\nPASS\n",
            json:
                #"{"result":"PASS","responseTimes":{"average":1,"p50":2,"p90":3,"p95":4,"p99":5},"failures":{}}"#
        ),
    ]

    @Test("does one operation and prints what was done or found", arguments: rows)
    func operations(row: Row) throws {
        let world = try AppleWorld { _ in AppleWorld.json(row.answer) }
        let text = try world.run(row.arguments)
        #expect(text.status == row.status, "\(text.errors)")
        #expect(text.output == row.text)
        let json = try world.run(row.arguments + ["--json"])
        #expect(json.status == row.status && json.errors.isEmpty, "\(json.errors)")
        #expect(json.output == row.json + "\n")
        #expect(world.calls == row.calls + row.calls)
    }

    @Test("uploads images and messages from files")
    func files() throws {
        let world = try AppleWorld { _ in AppleWorld.json("") }
        try world.folder.write([0x89, 0x50, 0, 0xFF], to: "a.png")
        let image = try world.run([
            "image", "put", Self.id, world.folder.path(of: "a.png"), "--size", "BULLET_POINT",
        ])
        #expect(image.status == 0, "\(image.errors)")
        let request = try #require(world.received.first)
        #expect(request.path.hasSuffix("/image/\(Self.id)?imageSize=BULLET_POINT"))
        #expect(request.body == [0x89, 0x50, 0, 0xFF] && request.headers["content-type"] == "image/png")
        let message =
            #"{"header":"h","body":"b","image":{"imageIdentifier":"\#(Self.id)","altText":"a"},"headerPosition":"#
            + #""ABOVE_IMAGE","bulletPoints":[{"text":"t","imageIdentifier":"\#(Self.id)","altText":"x"}]}"#
        let run = try world.run(["message", "put", AppleWorld.other, "--from", "-"], input: message)
        #expect(run.status == 0, "\(run.errors)")
        #expect(world.received.last?.body == Array(message.utf8))
        let options = [
            "message", "put", AppleWorld.other, "--header", "h", "--body", "b", "--image", Self.id,
            "--alt-text", "a",
            "--header-position", "ABOVE_BODY",
        ]
        #expect(try world.run(options).status == 0)
        let expected =
            #"{"header":"h","body":"b","image":{"imageIdentifier":"\#(Self.id)","altText":"a"},"#
            + #""headerPosition":"ABOVE_BODY"}"#
        #expect(world.received.last?.body == Array(expected.utf8))
    }

    @Test(
        "refuses a message's file with a code and a position",
        arguments: [
            ("{", "1:2: error: json.syntax"), ("[]", "1:1: error: apple-message.wrong-type"),
            (#"{"header":"h"}"#, "1:1: error: apple-message.missing-key"),
            (#"{"header":"h","body":"b","boddy":1}"#, "1:26: error: apple-message.unknown-key"),
            (
                #"{"header":"h","body":"b","image":{"imageIdentifier":"x","altText":"a"}}"#,
                "apple-message.bad-identifier"
            ),
            (#"{"header":"h","body":"b","image":{"imageIdentifier":"\#(id)"}}"#, "apple-message.missing-key"),
            (#"{"header":"h","body":"b","image":null}"#, "apple-message.wrong-type"),
            (#"{"header":"h","body":"b","headerPosition":"ABOVE"}"#, "apple-message.bad-header-position"),
            (#"{"header":"h","body":"b","bulletPoints":{}}"#, "apple-message.wrong-type"),
            (#"{"header":"h","body":"b","bulletPoints":[{"text":"t"}]}"#, "apple-message.missing-key"),
            (#"{"header":"h","header":"h","body":"b"}"#, "json.duplicate-key"),
        ]
    )
    func badFiles(text: String, message: String) throws {
        let world = try AppleWorld { _ in .close }
        let run = try world.run(["message", "put", Self.id, "--from", "-"], input: text)
        #expect(run.status == 65)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(world.received.isEmpty)
    }

    @Test(
        "ends with a status and a code for each way to fail",
        arguments: [
            ("400", 1, "apple.invalid-locale: Apple does not take this locale."),
            ("401", 1, "apple.unauthorized: "),
            ("404", 1, "apple.other-error: "), ("409", 1, "apple.message-already-exists: "),
            ("html", 69, "app-store-answer.html: "), ("refused", 69, "http.not-connected: "),
            ("redirect", 69, "app-store-answer.redirect: "), ("429", 1, "apple.rate-limited: "),
        ] as [(String, Int32, String)]
    )
    func failures(kind: String, status: Int32, message: String) throws {
        let world = try AppleWorld { _ in
            switch kind {
            case "400": AppleWorld.refusal(4_000_164)
            case "401": .respond(status: 401)
            case "409": AppleWorld.refusal(4_090_001)
            case "429": AppleWorld.refusal(4_290_000)
            case "html": AppleWorld.json("<html>")
            case "redirect": .respond(status: 301, headers: ["Location: https://example.com/"])
            default: .respond(status: 404)
            }
        }
        let port = try LoopbackPort.free(1)[0]
        let elsewhere = kind == "refused" ? ["--base-url", "http://127.0.0.1:\(port)"] : []
        let arguments = ["message", "list", "--longest-wait", "0"]
        let run = try world.run(arguments, more: elsewhere)
        #expect(run.status == status, "\(run)")
        #expect(run.errors.contains("error: \(message)"), "\(run.errors)")
        #expect(run.output.isEmpty && !run.errors.contains("\u{1b}"))
        let json = try world.run(arguments + ["--json"], more: elsewhere)
        #expect(json.status == status && json.errors.isEmpty)
        #expect(json.output.hasPrefix(#"{"diagnostics":[{"severity":"error","code":""#))
    }

    @Test("takes Production and Sandbox alone", arguments: ["Xcode", "LocalTesting", "production", ""])
    func environments(name: String) throws {
        let world = try AppleWorld { _ in .close }
        let run = try world.run(["url", "get"], more: ["--environment", name])
        #expect(run.status == 64)
        #expect(run.errors.contains("The environment must be Production or Sandbox."), "\(run.errors)")
        #expect(world.received.isEmpty)
        #expect(try world.run(["url", "get", "--help"]).output.contains("values: ") == false)
    }

    @Test("prints that nothing is set, and ends with 1")
    func nothing() throws {
        let world = try AppleWorld { request in
            AppleWorld.refusal(request.path.hasSuffix("url") ? 4_040_021 : 4_040_020)
        }
        let url = try world.run(["url", "get"])
        #expect(
            url.status == 1 && url.output == "com.example.app in Sandbox: no URL is set\n"
                && url.errors.isEmpty
        )
        #expect(try world.run(["url", "get", "--json"]).output == "{\"realtimeURL\":null}\n")
        let message = try world.run(["default", "get", "pro", "de-DE"])
        #expect(message.status == 1 && message.output.hasSuffix("pro in de-DE has no default message\n"))
    }

    @Test("looks a lost upload up and says so")
    func lost() throws {
        let world = try AppleWorld { request in
            guard request.method == "GET" else { return .close }
            return AppleWorld.json(
                #"{"messageIdentifiers":[{"messageIdentifier":"\#(Self.id)","messageState":"X"}]}"#
            )
        }
        let run = try world.run(["message", "put", Self.id, "--header", "h", "--body", "b"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasSuffix("uploaded (the answer was lost; it was found to be done)\n"))
        #expect(world.calls == ["PUT /message/\(Self.id)", "GET /message/list"])
    }
}
