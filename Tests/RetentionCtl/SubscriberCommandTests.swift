import JSON
import Support
import Testing

/// The commands that play a customer, against a server that answers as the simulator does.
@Suite("retentionctl appstore subscriber", .timeLimit(.minutes(5)))
struct SubscriberCommandTests {
    private static let renewed = #"""
        {"notifications":[{"notificationUUID":"3db5c98d-8acf-4e29-831e-8e1f82f9f6e9","kind":"DID_RENEW",
        "originalTransactionId":"7","signedDate":1780315200000,"transactionId":"8","productId":"pro_monthly",
        "purchaseDate":1780315200000,"expiresDate":1782907200000,"price":4990,"currency":"USD",
        "offerIdentifier":"save50_3m","renewalPrice":9990,"renewalOfferIdentifier":null}]}
        """#
    private static let answer = #"{"promotionalOffer":{"messageIdentifier":"x"}}"#

    /// Runs a command against a server that answers the path with this text. Returns the run, and whether the body was this.
    private static func run(
        _ words: [String], path: String, expecting body: String, _ status: Int, _ text: String
    ) throws -> ProgramRun {
        let server = try LoopbackServer { request in
            request.path == "/appstore-simulator/" + path && request.method == "POST"
                && request.body == Array(body.utf8)
                ? .respond(status: status, body: Array(text.utf8)) : .respond(status: 404, body: [])
        }
        defer { server.stop() }
        return try Tool.run(["appstore", "subscriber"] + words + ["--url", server.url("/")])
    }

    @Test("asks the simulator, and prints what happened in one line for each notification")
    func lines() throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.answer, to: "answer.json")
        try folder.write(#"{"status":200,"body":\#(Self.answer)}"#, to: "printed.json")
        let accepted = #"{"subscriber":7,"answer":\#(Self.answer)}"#
        for (words, path, body) in [
            (
                ["buy", "7", "--product", "pro_monthly", "--at", "2026-06-01T12:00:00Z"], "purchase",
                #"{"subscriber":7,"productId":"pro_monthly","date":1780315200000}"#
            ),
            (["buy", "7", "--product", "a"], "purchase", #"{"subscriber":7,"productId":"a"}"#),
            (["renew", "7"], "renewal", #"{"subscriber":7,"isAhead":false}"#),
            (
                ["renew", "7", "--ahead", "--bundle-id", "b"], "renewal",
                #"{"subscriber":7,"isAhead":true,"bundleId":"b"}"#
            ),
            (["accept", "7", "--answer", folder.path(of: "answer.json")], "acceptance", accepted),
            (["accept", "7", "--answer", folder.path(of: "printed.json")], "acceptance", accepted),
        ] {
            let run = try Self.run(words, path: path, expecting: body, 200, Self.renewed)
            #expect(run.status == 0, "\(words) \(run.errors)")
            let line =
                "2026-06-01T12:00:00Z  DID_RENEW: pro_monthly to 2026-07-01T12:00:00Z for 4990 with the offer "
                + "save50_3m\n"
            #expect(run.output == line)
        }
        let json = try Self.run(
            ["renew", "7", "--json"], path: "renewal", expecting: #"{"subscriber":7,"isAhead":false}"#, 200,
            Self.renewed)
        #expect(json.output == Self.renewed + "\n")
    }

    @Test("ends with 1 and a code when the App Store does not do it")
    func failures() throws {
        let rows: [(Int, String, Int32, String)] = [
            (
                403, #"{"error":"offer-refused","reason":"nonce-used"}"#, 1,
                "simulator.offer-refused: the signature"
            ),
            (403, #"{"error":"offer-refused"}"#, 1, "simulator.offer-refused: the App Store"),
            (404, #"{"error":"unknown-product"}"#, 1, "simulator.unknown-product"),
            (404, #"{"error":"unknown-subscriber"}"#, 1, "simulator.unknown-subscriber"),
            (409, #"{"error":"already-subscribed"}"#, 1, "simulator.already-subscribed"),
            (409, #"{"error":"not-renewing"}"#, 1, "simulator.not-renewing"),
            (409, #"{"error":"nothing-to-renew"}"#, 1, "simulator.nothing-to-renew"),
            (409, #"{"error":"no-notification-url"}"#, 1, "simulator.no-notification-url"),
            (400, #"{"error":"malformed"}"#, 65, "simulator.malformed"),
            (500, #"{"error":"not-signed"}"#, 69, "simulator.no-simulator"),
            (200, "[]", 69, "simulator.no-simulator"), (502, "<html>", 69, "simulator.no-simulator"),
        ]
        for (status, text, exit, code) in rows {
            let body = #"{"subscriber":7,"isAhead":false}"#
            let run = try Self.run(["renew", "7"], path: "renewal", expecting: body, status, text)
            #expect(run.status == exit && run.errors.contains("error: \(code)"), "\(run)")
            #expect(run.output.isEmpty)
        }
    }

    @Test("reads only an answer in JSON")
    func answerFile() throws {
        let folder = try TemporaryDirectory()
        try folder.write("no JSON", to: "text")
        try folder.write([UInt8](repeating: 0x20, count: 50_000), to: "large")
        for (name, status) in [("text", 65), ("large", 74), ("missing", 66)] as [(String, Int32)] {
            let run = try Tool.run([
                "appstore", "subscriber", "accept", "7", "--answer", folder.path(of: name),
                "--url", "https://localhost:1",
            ])
            #expect(run.status == status, "\(name) \(run.errors)")
        }
        for words in [["buy", "7"], ["buy", "x", "--product", "a"], ["accept", "7"], ["renew"]] {
            let run = try Tool.run(["appstore", "subscriber"] + words + ["--url", "https://localhost:1"])
            #expect(run.status == 64, "\(words)")
        }
    }
}
