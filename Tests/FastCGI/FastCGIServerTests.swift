import FastCGI
import Support
import System
import Testing

private typealias Records = FastCGIRecords

@Suite("Serving FastCGI")
struct FastCGIServerTests {
    @Test(
        "answers bodies of every size on one kept connection",
        arguments: [0, 1, 6_000, 8_191, 8_192, 8_193, 65_534, 65_535, 65_536, 524_288, 1_000_000]
    )
    func bodySizes(byteCount: Int) throws {
        let bench = try ServedBench()
        bench.answer = [1, 2, 3]
        let client = try bench.connect()
        let bytes = Records.request(body: pattern(byteCount))
        for round in 1...3 {
            var sent = 0
            while sent < bytes.count {
                sent += try client.sendSome(Array(bytes[sent...]))
                try bench.settle()
            }
            let reply = try client.readReply()
            #expect(reply.status == 200)
            #expect(reply.body == [1, 2, 3])
            #expect(bench.seen.count == round)
            #expect(bench.seen.last == "complete(byteCount: \(byteCount))")
        }
        #expect(bench.server.counts.acceptedCount == 1)
        #expect(bench.server.connectionCount == 1)
    }

    @Test("hands over the same bytes, sent in pieces of every size", arguments: [1, 7, 8, 100, 5_000])
    func dribble(pieceByteCount: Int) throws {
        let bench = try ServedBench()
        let client = try bench.connect()
        let body = pattern(300)
        let bytes = Records.request([("X", "y")], body: body, pieceByteCount: 99)
        var start = 0
        while start < bytes.count {
            try client.send(Array(bytes[start..<min(start + pieceByteCount, bytes.count)]))
            try bench.settle()
            start += pieceByteCount
        }
        #expect(try client.readReply().body == body)
    }

    @Test(
        "compares CONTENT_LENGTH with the body",
        arguments: [
            ("10", 10, "complete(byteCount: 10)"), ("", 10, "complete(byteCount: 10)"),
            ("11", 10, "incomplete"),
            ("9", 10, "incomplete"), ("0", 10, "incomplete"), ("-1", 10, "incomplete"),
            ("10 ", 10, "incomplete"),
            ("0x0a", 10, "incomplete"), ("99999999999999999999", 10, "incomplete"), ("1000", 10, "tooLarge"),
            ("0", 0, "complete(byteCount: 0)"), ("100", 100, "complete(byteCount: 100)"),
            ("101", 101, "tooLarge"),
            ("10", 101, "tooLarge"),
        ]
    )
    func contentLength(declared: String, byteCount: Int, expected: String) throws {
        let bench = try ServedBench()
        bench.limitBytes = 100
        let client = try bench.connect()
        for _ in 0..<2 {
            try client.send(Records.request([("CONTENT_LENGTH", declared)], body: pattern(byteCount)))
            try bench.settle()
            _ = try client.readReply()
            #expect(bench.seen.last == expected)
        }
        #expect(bench.server.counts.acceptedCount == 1)
    }

    @Test(
        "keeps the connection usable when a handler reads no body",
        arguments: [0, 5, 9_000, 70_000, 600_000]
    )
    func unreadBody(byteCount: Int) throws {
        let bench = try ServedBench()
        bench.readsBody = false
        bench.answer = [9]
        let client = try bench.connect()
        let bytes = Records.request(body: pattern(byteCount))
        for _ in 0..<3 {
            var sent = 0
            while sent < bytes.count {
                sent += try client.sendSome(Array(bytes[sent...]))
                try bench.settle()
            }
            #expect(try client.readReply().body == [9])
        }
    }

    @Test("answers 413 to a body larger than it keeps, and goes on with the connection")
    func bodyOverAllLimits() throws {
        let bench = try ServedBench()
        bench.limitBytes = .max
        let client = try bench.connect()
        for byteCount in [3 << 20, 10] {
            let bytes = Records.request(body: pattern(byteCount))
            var sent = 0
            while sent < bytes.count {
                sent += try client.sendSome(Array(bytes[sent...]))
                try bench.settle()
            }
            #expect(try client.readReply().status == (byteCount == 10 ? 200 : 413))
        }
        #expect(bench.server.counts.acceptedCount == 1)
    }

    @Test("closes the connection of a client that sends other bytes", arguments: FramingCheckTests.hostile)
    func hostile(name: String, bytes: [UInt8]) throws {
        let bench = try ServedBench()
        let client = try bench.connect()
        let whole = try bench.connect()
        try client.send(bytes)
        try whole.send(Records.request(body: [1]))
        try bench.settle()
        #expect(client.isClosed())
        #expect(try whole.readReply().body == [1])
        #expect(bench.seen.count == 1)
        #expect(bench.server.counts.refusedCount == 1)
    }

    @Test("hands no hostile parameters to libfcgi", arguments: FramingCheckTests.parameterZoo)
    func hostileParameters(name: String, content: [UInt8], expected: FramingCheck.Verdict) throws {
        let bench = try ServedBench()
        let client = try bench.connect()
        try client.send(Records.begin() + Records.stream(type: 4, content) + Records.stream(type: 5, []))
        try bench.settle()
        if expected == .complete {
            #expect(try client.readReply().status == 200)
        } else {
            #expect(client.isClosed())
            #expect(bench.seen.isEmpty)
        }
    }

    @Test("lends parameters, the first of repeated parameters, and nil for absent parameters")
    func parameters() throws {
        let bench = try ServedBench()
        var found: [String] = []
        let long = String(repeating: "v", count: 1_000)
        let client = try bench.connect()
        try client.send(
            Records.request([("RETENTION_ENDPOINT", "ping"), ("A", "1"), ("A", "2"), ("LONG", long)])
        )
        _ = try bench.server.turn(timeoutMilliseconds: 1_000) { request in
            func text(_ name: StaticString) -> String {
                request.withParameter(name) { bytes in
                    guard let bytes else { return "-" }
                    return String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                }
            }
            found = [text("RETENTION_ENDPOINT"), text("A"), text("LONG"), text("ABSENT"), text("RETENTION")]
            return GatewayResponse(status: 200, contentType: "text/plain", body: [])
        }
        #expect(found == ["ping", "1", long, "-", "-"])
    }
}
