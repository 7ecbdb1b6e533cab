import FastCGI
import FuzzBodies
import Support
import Testing

private typealias Records = FastCGIRecords

private func check(_ bytes: [UInt8]) -> FramingCheck.Verdict {
    var check = FramingCheck()
    let agree = fuzzFraming(bytes.span)
    #expect(agree, "the verdict depends on how the bytes arrive")
    return check.consume(bytes.span)
}

@Suite("Framing of FastCGI requests")
struct FramingCheckTests {
    private static let parameters = [("A", "1"), ("LONG", String(repeating: "x", count: 300)), ("", "")]

    static let hostile: [(String, [UInt8])] = [
        ("version 0", Records.record(type: 1, content: [0, 1, 0, 0, 0, 0, 0, 0], version: 0)),
        ("HTTP", Array("GET / HTTP/1.1\r\n".utf8)),
        ("TLS", [22, 3, 1, 0]),
        ("GET_VALUES", Records.record(type: 9, id: 0, content: Records.pairs([("FCGI_MAX_CONNS", "")]))),
        (
            "GET_VALUES first in a request", Records.begin() + Records.record(type: 9, id: 0)
        ),
        ("unknown management type", Records.record(type: 99, id: 0)),
        ("unknown type", Records.begin() + Records.record(type: 99)),
        ("PARAMS first", Records.record(type: 4)),
        ("STDIN before PARAMS end", Records.begin() + Records.record(type: 5)),
        ("PARAMS after PARAMS", Records.begin() + Records.record(type: 4) + Records.record(type: 4)),
        ("DATA", Records.begin() + Records.record(type: 4) + Records.record(type: 8)),
        ("STDOUT from the client", Records.begin() + Records.record(type: 6)),
        ("BEGIN twice", Records.begin() + Records.begin()),
        ("BEGIN of another request", Records.begin() + Records.begin(id: 2)),
        ("request number 0", Records.begin(id: 0)),
        ("short BEGIN", Records.record(type: 1, content: [0, 1, 0])),
        ("long BEGIN", Records.record(type: 1, content: [0, 1, 0, 0, 0, 0, 0, 0, 0])),
        ("PARAMS of another request", Records.begin() + Records.record(type: 4, id: 2)),
        ("STDIN of number 0", Records.begin() + Records.record(type: 4) + Records.record(type: 5, id: 0)),
        ("authorizer", Records.begin(role: 2)),
        ("filter", Records.begin(role: 3)),
        ("role 257", Records.begin(role: 257)),
        ("ABORT after BEGIN", Records.begin() + Records.record(type: 2)),
        ("ABORT in the body", Records.begin() + Records.record(type: 4) + Records.record(type: 2)),
        ("ABORT of another request", Records.begin() + Records.record(type: 2, id: 9)),
        ("second request after the request", Records.request() + Records.request()),
        ("one byte after the request", Records.request() + [1]),
    ]

    @Test("refuses bytes that are not a request", arguments: hostile)
    func refusal(name: String, bytes: [UInt8]) {
        #expect(check(bytes) == .refused)
    }

    /// Parameters with false lengths (CVE-2025-23016 and similar faults), and too many parameters.
    static let parameterZoo: [(String, [UInt8], FramingCheck.Verdict)] = [
        ("sum overflows 32 bits", [0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xfe], .refused),
        ("2^30 and 2^30 - 1", [0xc0, 0, 0, 0, 0xbf, 0xff, 0xff, 0xff], .refused),
        ("half a gigabyte", [0xa0, 0, 0, 0, 0], .refused),
        ("name beyond the end", [5, 0, 65], .refused),
        ("value beyond the end", [1, 5, 65, 66], .refused),
        ("length cut off", [0x80, 0], .refused),
        ("no value length", [1], .refused),
        ("the largest value", [1, 0x80, 0, 0xff, 0xf9] + [UInt8](repeating: 65, count: 65_530), .complete),
        (
            "a value one byte larger", [1, 0x80, 0, 0xff, 0xfc] + [UInt8](repeating: 65, count: 65_533),
            .refused
        ),
        ("as many parameters as allowed", [UInt8](repeating: 0, count: 1_024), .complete),
        ("one parameter too many", [UInt8](repeating: 0, count: 1_026), .refused),
    ]

    @Test("keeps parameters inside their stream and the limits", arguments: parameterZoo)
    func parameters(name: String, content: [UInt8], expected: FramingCheck.Verdict) {
        for pieceByteCount in [32_768, 3, 1] where content.count < 5_000 || pieceByteCount > 3 {
            let bytes =
                Records.begin() + Records.stream(type: 4, content, pieceByteCount: pieceByteCount)
                + Records.stream(type: 5, [])
            #expect(check(bytes) == expected, "in pieces of \(pieceByteCount)")
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
