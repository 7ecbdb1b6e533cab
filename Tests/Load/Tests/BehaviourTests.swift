import HTTPLoad
import Support
import Testing

/// The behaviour of a server on each connection, and the report that is expected for three requests over one connection.
struct BehaviourRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: [ScriptedServer.Step]
    var request = RequestText.get("/")
    var patience = 20.0
    /// The answers with their numbers, then all counts that are not 0.
    let expected: String

    init(
        _ name: String, _ script: [ScriptedServer.Step], request: [UInt8] = RequestText.get("/"),
        patience: Double = 20, _ expected: String
    ) {
        testDescription = name
        self.script = script
        self.request = request
        self.patience = patience
        self.expected = expected
    }

    static func summary(_ report: LoadReport) -> String {
        let answers = report.answers.map { "\($0.value) x \($0.key)" }.sorted()
        let counts = [
            ("lost", report.lost), ("broken", report.broken), ("stalled", report.stalled),
            ("unopened", report.unopened), ("excess", report.excess), ("opened", report.opened),
            ("reused", report.reused),
        ]
        return (answers + counts.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }).joined(separator: ", ")
    }
}

@Suite("The report of a load client", .timeLimit(.minutes(5)))
struct BehaviourTests {
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    static let head = Array("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let behaviours: [BehaviourRow] = [
        BehaviourRow("keeps the connection", [.read, .send(ok), .again], "3 x 200 ok, opened 1, reused 2"),
        BehaviourRow(
            "answers in pieces",
            [.read] + ok.map { .send(String($0)) } + [.again],
            "3 x 200 ok, opened 1, reused 2"
        ),
        BehaviourRow(
            "writes header names as it likes",
            [.read, .send("HTTP/1.1 200 OK\r\nX: y\r\ncontent-LENGTH:2\r\n\r\n"), .send("ok"), .again],
            "3 x 200 ok, opened 1, reused 2"),
        BehaviourRow(
            "sends chunks as nginx does",
            [.read, .send(chunked + "3\r\nabc\r\n"), .send("2;x=y\r\nde\r\n0\r\n\r\n"), .again],
            "3 x 200 abcde, opened 1, reused 2"),
        BehaviourRow(
            "sends chunks in pieces, with a trailer",
            [.read] + (chunked + "A\r\n0123456789\r\n0\r\nT: v\r\n\r\n").map { .send(String($0)) } + [.again],
            "3 x 200 0123456789, opened 1, reused 2"
        ),
        BehaviourRow(
            "continues before it answers", [.read, .send("HTTP/1.1 100 Continue\r\n\r\n" + ok), .again],
            "3 x 200 ok, opened 1, reused 2"),
        BehaviourRow(
            "answers without a body", [.read, .send("HTTP/1.1 204 No Content\r\n\r\n"), .again],
            "3 x 204 , opened 1, reused 2"),
        BehaviourRow(
            "is asked for the head alone",
            [.read, .send("HTTP/1.1 405 No\r\nContent-Length: 9\r\n\r\n"), .again], request: head,
            "3 x 405 , opened 1, reused 2"),
        BehaviourRow(
            "says that it closes",
            [.read, .send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")],
            "3 x 200 ok, opened 3"),
        BehaviourRow(
            "ends the answer with the connection", [.read, .send("HTTP/1.1 200 OK\r\n\r\nun"), .send("til")],
            "3 x 200 until, opened 3"),
        BehaviourRow("closes before the answer", [.read], "lost 3, opened 3"),
        BehaviourRow(
            "closes in the middle of the head", [.read, .send("HTTP/1.1 200 OK\r\nContent-")],
            "lost 3, opened 3"),
        BehaviourRow(
            "closes in the middle of the body",
            [.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok")], "lost 3, opened 3"),
        BehaviourRow(
            "closes in the middle of a chunk", [.read, .send(chunked + "5\r\nab")], "lost 3, opened 3"),
        BehaviourRow(
            "sends too much at once", [.read, .send(ok + "HTTP"), .hang], "3 x 200 ok, excess 3, opened 3"),
        BehaviourRow("sends no HTTP", [.read, .send("220 ready\r\n"), .hang], "broken 3, opened 3"),
        BehaviourRow(
            "announces no number", [.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n"), .hang],
            "broken 3, opened 3"),
        BehaviourRow("sends no chunk", [.read, .send(chunked + "zz\r\n"), .hang], "broken 3, opened 3"),
        BehaviourRow(
            "sends more than the client's buffer",
            [
                .read,
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n" + String(repeating: "x", count: 20_000)
                ),
            ]
                + [.hang],
            "broken 3, opened 3"
        ),
        BehaviourRow("stalls", [.read, .hang], patience: 1, "stalled 3, opened 3"),
        BehaviourRow(
            "stalls in the middle", [.read, .send("HTTP/1.1 200 OK\r\n"), .hang], patience: 1,
            "stalled 3, opened 3"),
    ]

    @Test("shows the server's behaviour, plain and over TLS", arguments: behaviours, [false, true])
    func rows(row: BehaviourRow, isTLS: Bool) throws {
        let server = try ScriptedServer(row.script, certificate: isTLS ? Self.certificate.get() : nil)
        defer { server.stop() }
        let plan = try server.plan([row.request]).with {
            $0.requestLimit = 3
            $0.patienceSeconds = row.patience
        }
        let report = LoadClient(plan).run()
        #expect(BehaviourRow.summary(report) == row.expected)
        #expect(report.sent == 3)
    }

    static let certificate = Result { try TLSServerFiles() }

    @Test("says why the client does not trust the server's certificate")
    func trust() throws {
        let certificate = try Self.certificate.get()
        let server = try ScriptedServer([.read, .send(Self.ok), .again], certificate: certificate)
        defer { server.stop() }
        let wrong = [try certificate.trust("example.org"), try TLSServerFiles().trust()]
        for (trust, reason) in zip(wrong, ["hostname mismatch", "self-signed certificate"]) {
            let report = LoadClient(
                try server.plan().with {
                    $0.tls = trust
                    $0.requestLimit = 2
                }
            ).run()
            #expect(BehaviourRow.summary(report) == "unopened 2")
            #expect(report.sent == 0)
            #expect(report.openingFailure?.contains(reason) == true, "\(report)")
        }
        #expect(throws: TLSFailure.self) {
            try TLSTrust(authoritiesFile: "/nonexistent/ca.pem", serverName: "localhost")
        }
    }

    @Test("says that a server does not listen, does not speak TLS, or does not finish the handshake")
    func unopened() throws {
        let nobody = LoadPlan(
            port: try LoopbackPort.free(1)[0], connections: 2, requests: [RequestText.get("/")])
        let report = LoadClient(nobody.with { $0.requestLimit = 3 }).run()
        #expect(BehaviourRow.summary(report) == "unopened 3")
        #expect(report.openingFailure == "connect: econnrefused")

        let plain = try ScriptedServer([.send("HTTP/1.1 400 Bad Request\r\n\r\n"), .hang])
        defer { plain.stop() }
        let trust = try Self.certificate.get().trust()
        let tls = LoadClient(
            try plain.plan().with {
                $0.tls = trust
                $0.requestLimit = 1
            }
        ).run()
        #expect(BehaviourRow.summary(tls) == "unopened 1")

        let silent = try ScriptedServer([.hang])
        defer { silent.stop() }
        let stalled = LoadClient(
            try silent.plan().with {
                $0.tls = trust
                $0.requestLimit = 1
                $0.patienceSeconds = 0.2
            }
        ).run()
        #expect(BehaviourRow.summary(stalled) == "stalled 1")
    }

    @Test(
        "counts a request that is larger than any buffer; an answer may come before the request's end",
        arguments: [false, true]
    )
    func large(isTLS: Bool) throws {
        let certificate = isTLS ? try Self.certificate.get() : nil
        let server = try ScriptedServer([.read, .send(Self.ok), .again], certificate: certificate)
        defer { server.stop() }
        let request = RequestText.post("/", [UInt8](repeating: 32, count: 8 << 20))
        let report = LoadClient(try server.plan([request]).with { $0.requestLimit = 2 }).run()
        #expect(BehaviourRow.summary(report) == "2 x 200 ok, opened 1, reused 1")

        let early = try ScriptedServer([.send(Self.ok), .hang, .hang], certificate: certificate)
        defer { early.stop() }
        let answer = PlainAnswer.exchange(request, port: early.port, tls: try certificate?.trust())
        #expect(answer?.status == 200)
    }
}
