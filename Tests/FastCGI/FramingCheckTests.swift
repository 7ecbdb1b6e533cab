import FastCGI
import FuzzBodies
import Support
import Testing

private typealias Records = FastCGIRecords

private func consume(_ bytes: some Sequence<UInt8>, by check: inout FramingCheck) -> FramingCheck.Verdict {
    let bytes = Array(bytes)
    return check.consume(bytes.span)
}

private func check(_ bytes: [UInt8]) -> FramingCheck.Verdict {
    var check = FramingCheck()
    let agree = fuzzFraming(bytes.span)
    #expect(agree, "the verdict depends on how the bytes arrive")
    return check.consume(bytes.span)
}

private func code(_ bytes: [UInt8]) -> String {
    switch check(bytes) {
    case .incomplete: "incomplete"
    case .complete: "complete"
    case .padded: "padded"
    case .refused(let error): error.code
    }
}

@Suite("Framing of FastCGI requests")
struct FramingCheckTests {
    private static let parameters = [("A", "1"), ("LONG", String(repeating: "x", count: 300)), ("", "")]

    static let hostile: [(String, [UInt8], String)] = [
        (
            "version 0", Records.record(type: 1, content: [0, 1, 0, 0, 0, 0, 0, 0], version: 0),
            "unsupported-version"
        ),
        ("HTTP", Array("GET / HTTP/1.1\r\n".utf8), "unsupported-version"),
        ("TLS", [22, 3, 1, 0], "unsupported-version"),
        (
            "GET_VALUES", Records.record(type: 9, id: 0, content: Records.pairs([("FCGI_MAX_CONNS", "")])),
            "unexpected-record"
        ),
        (
            "GET_VALUES first in a request", Records.begin() + Records.record(type: 9, id: 0),
            "unexpected-record"
        ),
        ("unknown management type", Records.record(type: 99, id: 0), "unexpected-record"),
        ("unknown type", Records.begin() + Records.record(type: 99), "unexpected-record"),
        ("PARAMS first", Records.record(type: 4), "unexpected-record"),
        ("STDIN before PARAMS end", Records.begin() + Records.record(type: 5), "unexpected-record"),
        (
            "PARAMS after PARAMS", Records.begin() + Records.record(type: 4) + Records.record(type: 4),
            "unexpected-record"
        ),
        ("DATA", Records.begin() + Records.record(type: 4) + Records.record(type: 8), "unexpected-record"),
        ("STDOUT from the client", Records.begin() + Records.record(type: 6), "unexpected-record"),
        ("BEGIN twice", Records.begin() + Records.begin(), "unexpected-record"),
        ("BEGIN of another request", Records.begin() + Records.begin(id: 2), "unexpected-record"),
        ("request number 0", Records.begin(id: 0), "malformed-record"),
        ("short BEGIN", Records.record(type: 1, content: [0, 1, 0]), "malformed-record"),
        ("long BEGIN", Records.record(type: 1, content: [0, 1, 0, 0, 0, 0, 0, 0, 0]), "malformed-record"),
        ("PARAMS of another request", Records.begin() + Records.record(type: 4, id: 2), "malformed-record"),
        (
            "STDIN of number 0", Records.begin() + Records.record(type: 4) + Records.record(type: 5, id: 0),
            "malformed-record"
        ),
        ("authorizer", Records.begin(role: 2), "unsupported-role"),
        ("filter", Records.begin(role: 3), "unsupported-role"),
        ("role 257", Records.begin(role: 257), "unsupported-role"),
        ("ABORT after BEGIN", Records.begin() + Records.record(type: 2), "aborted-by-client"),
        (
            "ABORT in the body", Records.begin() + Records.record(type: 4) + Records.record(type: 2),
            "aborted-by-client"
        ),
        ("ABORT of another request", Records.begin() + Records.record(type: 2, id: 9), "malformed-record"),
        ("second request after the request", Records.request() + Records.request(), "pipelined-request"),
        ("one byte after the request", Records.request() + [1], "pipelined-request"),
    ]

    @Test("refuses bytes that are not a request", arguments: hostile)
    func refusal(name: String, bytes: [UInt8], expected: String) {
        #expect(code(bytes) == "fastcgi." + expected)
    }

    /// Parameters with false lengths (CVE-2025-23016 and similar faults), and too many parameters.
    static let parameterZoo: [(String, [UInt8], String)] = [
        (
            "sum overflows 32 bits", [0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xfe],
            "fastcgi.malformed-parameters"
        ),
        ("2^30 and 2^30 - 1", [0xc0, 0, 0, 0, 0xbf, 0xff, 0xff, 0xff], "fastcgi.malformed-parameters"),
        ("half a gigabyte", [0xa0, 0, 0, 0, 0], "fastcgi.malformed-parameters"),
        ("name beyond the end", [5, 0, 65], "fastcgi.malformed-parameters"),
        ("value beyond the end", [1, 5, 65, 66], "fastcgi.malformed-parameters"),
        ("length cut off", [0x80, 0], "fastcgi.malformed-parameters"),
        ("no value length", [1], "fastcgi.malformed-parameters"),
        ("the largest value", [1, 0x80, 0, 0xff, 0xf9] + [UInt8](repeating: 65, count: 65_530), "complete"),
        (
            "a value one byte larger", [1, 0x80, 0, 0xff, 0xfc] + [UInt8](repeating: 65, count: 65_533),
            "fastcgi.malformed-parameters"
        ),
        ("as many parameters as allowed", [UInt8](repeating: 0, count: 1_024), "complete"),
        ("one parameter too many", [UInt8](repeating: 0, count: 1_026), "fastcgi.malformed-parameters"),
    ]

    @Test("keeps parameters inside their stream and the limits", arguments: parameterZoo)
    func parameters(name: String, content: [UInt8], expected: String) {
        for pieceByteCount in [32_768, 3, 1] where content.count < 5_000 || pieceByteCount > 3 {
            let bytes =
                Records.begin() + Records.stream(type: 4, content, pieceByteCount: pieceByteCount)
                + Records.stream(type: 5, [])
            #expect(code(bytes) == expected, "in pieces of \(pieceByteCount)")
        }
    }

    @Test("gives one verdict for each text of the fuzzer's corpus")
    func corpus() throws {
        try FuzzCorpus.replay("Framing") { bytes in
            let agree = fuzzFraming(bytes)
            #expect(agree)
        }
    }

    @Test("gives one verdict for random damage, however the bytes arrive")
    func damage() {
        var generator = SeededGenerator(for: "random damage to records")
        func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
        let original = Records.request(Self.parameters, body: [UInt8](repeating: 1, count: 100))
        for round in 0..<5_000 {
            var bytes = original
            for _ in 0..<1 + random(3) { bytes[random(bytes.count)] = UInt8(random(256)) }
            if random(2) == 0 { bytes.removeLast(random(bytes.count)) }
            let agree = fuzzFraming(bytes.span)
            #expect(agree, "round \(round)")
        }
    }
}
