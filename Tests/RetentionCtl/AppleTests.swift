import JSON
import Support
import System
import Testing

@Suite("retentionctl apple")
struct AppleTests {
    private static let id = AppleWorld.message
    /// A command, the requests that it makes, the answer, and what it prints.
    struct Row: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let call: String
        var body = ""
        var answer = ""
        var text: String?
        var status: Int32 = 0
        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let rows: [Row] = [
        Row(
            arguments: [
                "api", "uploadMessage", "-f", "messageIdentifier=\(id)", "-f", "header=h=1", "-f", "body=b",
            ],
            call: "PUT /message/\(id)", body: #"{"header":"h=1","body":"b"}"#),
        Row(
            arguments: ["api", "listMessages"], call: "GET /message/list",
            answer: #"{"messageIdentifiers":[{"messageIdentifier":"\#(id)","messageState":"a\nb\u202e"}]}"#,
            text: #"{"messageIdentifiers":[{"messageIdentifier":"\#(id)","messageState":"a\nb\u202E"}]}"#
                + "\n"),
        Row(
            arguments: ["api", "deleteImage", "--field", "imageIdentifier=\(id)"], call: "DELETE /image/\(id)"
        ),
        Row(
            arguments: [
                "api", "setDefault", "-f", "productId=a/b", "-f", "locale=de-DE", "-f",
                "messageIdentifier=\(id)",
            ], call: "PUT /default/a%2Fb/de-DE", body: #"{"messageIdentifier":"\#(id)"}"#),
        Row(arguments: ["api", "deleteURL"], call: "DELETE /realtime/url"),
        Row(
            arguments: [
                "api", "subscriptionStatuses", "-f", "transactionId=1", "-f", "status=1", "-f", "status=4",
            ],
            call: "GET /inApps/v1/subscriptions/1?status=1&status=4", answer: "{}", text: "{}\n"),
        Row(
            arguments: ["performance-test", "--request-id", "R1"], call: "GET /performanceTest/result/R1",
            answer:
                #"{"config":{"totalRequests":100},"target":"https://a","result":"FAIL","successRate":9,"failures":{"TLS_ISSUE":91}}"#,
            text:
                "config\n  totalRequests  100\ntarget       https://a\nresult       FAIL\nsuccessRate  9\nfailures\n  TLS_ISSUE  91\n",
            status: 1),
    ]

    @Test("does one operation and prints what Apple answers", arguments: rows)
    func operations(row: Row) throws {
        let world = try AppleWorld { _ in AppleWorld.json(row.answer) }
        let confirm = row.arguments[0] == "api" ? ["--confirm"] : []
        let text = try world.run(row.arguments + confirm)
        #expect(text.status == row.status && text.errors.isEmpty, "\(text.errors)")
        #expect(text.output == row.text ?? "")
        let json = try world.run(row.arguments + confirm + ["--json"])
        #expect(json.status == row.status && json.errors.isEmpty, "\(json.errors)")
        if !row.answer.isEmpty { #expect(try Tool.document(json).root.kind == .object) }
        #expect(world.calls == [row.call, row.call])
        #expect(world.received.allSatisfy { String(decoding: $0.body, as: UTF8.self) == row.body })
    }

    @Test("starts a performance test and waits for its result")
    func performanceTest() throws {
        let world = try AppleWorld { request in
            AppleWorld.json(request.method == "POST" ? #"{"requestId":"R1"}"# : #"{"result":"PASS"}"#)
        }
        let run = try world.run(["performance-test", "2000000001"])
        #expect(run.status == 0 && run.output == "result  PASS\n")
        #expect(run.errors == "the test runs; --request-id R1 asks for its result again\n")
        #expect(world.calls == ["POST /performanceTest", "GET /performanceTest/result/R1"])
        #expect(world.received[0].body == Array(#"{"originalTransactionId":"2000000001"}"#.utf8))
        let pending = try AppleWorld { _ in AppleWorld.json(#"{"result":"PENDING"}"#) }
        let late = try pending.run(["performance-test", "--request-id", "R1", "--timeout", "0"])
        #expect(late.status == 1 && late.output == "result  PENDING\n")
        let broken = try AppleWorld { _ in AppleWorld.json("{}") }
        let none = try broken.run(["performance-test", "2000000001"])
        #expect(none.status == 69 && none.errors.contains("apple.bad-answer"), "\(none)")
    }

    @Test("uploads images and messages from files")
    func files() throws {
        let world = try AppleWorld { _ in AppleWorld.json("") }
        try world.folder.write([0x89, 0x50, 0, 0xFF], to: "a.png")
        let image = try world.run([
            "api", "uploadImage", "-f", "imageIdentifier=\(Self.id)", "-f", "imageSize=BULLET_POINT",
            "--input",
            world.folder.path(of: "a.png"), "--confirm",
        ])
        #expect(image.status == 0, "\(image.errors)")
        let request = try #require(world.received.first)
        #expect(request.path.hasSuffix("/image/\(Self.id)?imageSize=BULLET_POINT"))
        #expect(request.body == [0x89, 0x50, 0, 0xFF] && request.headers["content-type"] == "image/png")
        let words = [
            "api", "uploadMessage", "-f", "messageIdentifier=\(Self.id)", "--input", "-", "--confirm",
        ]
        let message = #"{"header":"h","body":"b","bulletPoints":[]}"#
        let run = try world.run(words, input: message)
        #expect(run.status == 0, "\(run.errors)")
        #expect(world.received.last?.body == Array(message.utf8))
        let wrong = try world.run(words, input: #"{"header":"h","header":"h"}"#)
        #expect(wrong.status == 65 && wrong.errors.contains("json.duplicate-key"), "\(wrong.errors)")
        #expect(world.received.count == 2)
    }

    @Test(
        "ends with a status and a code for each way to fail",
        arguments: [
            ("400", 1, "apple.4000164: Apple does not take this locale."),
            ("401", 1, "apple.unauthorized: "),
            ("404", 1, "apple.refused: "), ("409", 1, "apple.4090001: "),
            ("html", 69, "apple.bad-answer: "), ("refused", 69, "http.unreachable: "),
            ("redirect", 69, "apple.bad-answer: "),
        ] as [(String, Int32, String)]
    )
    func failures(kind: String, status: Int32, message: String) throws {
        let world = try AppleWorld { _ in
            switch kind {
            case "400": AppleWorld.refusal(4_000_164)
            case "401": .respond(status: 401)
            case "409": AppleWorld.refusal(4_090_001)
            case "html": AppleWorld.json("<html>")
            case "redirect": .respond(status: 301, headers: ["Location: https://example.com/"])
            default: .respond(status: 404)
            }
        }
        let port = try LoopbackPort.free(1)[0]
        let elsewhere = kind == "refused" ? ["--base-url", "http://127.0.0.1:\(port)"] : []
        let arguments = ["api", "listMessages"]
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
        let run = try world.run(["api", "getURL"], more: ["--environment", name])
        #expect(run.status == 64)
        #expect(run.errors.contains("The environment must be Production or Sandbox."), "\(run.errors)")
        #expect(world.received.isEmpty)
    }

    @Test("looks a lost upload up and says so")
    func lost() throws {
        let world = try AppleWorld { request in
            guard request.method == "GET" else { return .close }
            return AppleWorld.json(
                #"{"messageIdentifiers":[{"messageIdentifier":"\#(Self.id)","messageState":"X"}]}"#
            )
        }
        let run = try world.run(["api", "uploadMessage", "-f", "messageIdentifier=\(Self.id)", "--confirm"])
        #expect(run.status == 0 && run.errors == "the answer was lost; Apple's list shows that it was done\n")
        #expect(world.calls == ["PUT /message/\(Self.id)", "GET /message/list"])
    }
}
