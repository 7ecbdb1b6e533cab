import FastCGI
import FuzzBodies
import Support
import System
import Testing

private typealias Records = FastCGIRecords

@Suite("Padding of FastCGI records")
struct PaddingTests {
    enum Place: CaseIterable {
        case begin, content, parametersEnd, bodyEnd
    }

    /// Padding that an honest server sends, and bytes that libfcgi must not take for records.
    static let fillings: [(String, [UInt8])] = [
        ("8 zeros", [UInt8](repeating: 0, count: 8)), ("255 zeros", [UInt8](repeating: 0, count: 255)),
        ("1 byte", [7]), ("255 bytes", [UInt8](repeating: 255, count: 255)),
        ("four FCGI_MPXS_CONNS", values([String](repeating: "FCGI_MPXS_CONNS", count: 4))),
        ("one FCGI_MAX_CONNS", values(["FCGI_MAX_CONNS"])),
        ("lengths 7ffffffe and 0", Records.record(type: 4, content: [255, 255, 255, 254, 0])),
        ("lengths 7ffffff0 and 16", Records.record(type: 4, content: [255, 255, 255, 240, 16])),
        ("lengths 40000000 twice", Records.record(type: 4, content: [192, 0, 0, 0, 192, 0, 0, 0])),
        ("a second request", Records.request([("RETENTION_ENDPOINT", "second")], body: [9])),
        (
            "parameters of another request",
            Records.stream(type: 4, Records.pairs([("RETENTION_ENDPOINT", "second")]))
                + Records.stream(type: 5, [9])
        ),
        ("ABORT", Records.record(type: 2)),
    ]

    private static func values(_ names: [String]) -> [UInt8] {
        Records.record(type: 9, id: 0, content: Records.pairs(names.map { ($0, "") }))
    }

    private static func request(_ place: Place, _ filling: [UInt8], body: [UInt8]) -> [UInt8] {
        func padded(_ record: [UInt8], _ here: Place) -> [UInt8] {
            here == place ? Records.padded(record, with: filling) : record
        }
        let parameters = Records.pairs([("RETENTION_ENDPOINT", "first"), ("REQUEST_METHOD", "POST")])
        return padded(Records.begin(), .begin)
            + padded(Records.record(type: 4, content: parameters), .content)
            + padded(Records.record(type: 4), .parametersEnd)
            + padded(Records.record(type: 5, content: body), .content)
            + padded(Records.record(type: 5), .bodyEnd)
    }

    @Test(
        "changes nothing, whatever it holds, wherever it stands and however it arrives",
        arguments: fillings,
        Place.allCases
    )
    func answered(filling: (String, [UInt8]), place: Place) throws {
        let bench = try ServedBench()
        let client = try bench.connect()
        let body = pattern(40)
        let bytes = Self.request(place, filling.1, body: body)
        for pieceByteCount in [bytes.count, 100, 3, 1] {
            var start = 0
            while start < bytes.count {
                try client.send(Array(bytes[start..<min(start + pieceByteCount, bytes.count)]))
                try bench.settle()
                start += pieceByteCount
            }
            let reply = try client.readReply()
            #expect(reply.status == 200)
            #expect(reply.body == body)
        }
        // The connection is kept and takes an ordinary request next.
        try client.send(Records.request([("RETENTION_ENDPOINT", "last")], body: [3]))
        try bench.settle()
        #expect(try client.readReply().body == [3])
        #expect(client.isSilent())
        #expect(bench.endpoints == ["first", "first", "first", "first", "last"])
        #expect(bench.server.counts.refusedCount == 0)
    }

    @Test("never makes libfcgi see another request than the check does: the fuzzer's corpus")
    func corpus() throws {
        let library = try PaddedRequestFuzz()
        try FuzzCorpus.replay("PaddedRequest") { bytes in
            let agree = library.agrees(on: bytes)
            #expect(agree)
        }
        try FuzzCorpus.replay("Framing") { bytes in
            let agree = library.agrees(on: bytes)
            #expect(agree)
        }
    }

    @Test("never makes libfcgi see another request than the check does: random bytes")
    func random() throws {
        let library = try PaddedRequestFuzz()
        var generator = SeededGenerator(for: "random bytes with padding")
        for round in 0..<2_000 {
            var bytes = (0..<Int.random(in: 7...300, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            let filling = Self.fillings.randomElement(using: &generator)?.1 ?? []
            let start = Int.random(in: 6..<bytes.count, using: &generator)
            bytes.replaceSubrange(start..<start, with: filling)
            let agree = library.agrees(on: bytes.span)
            #expect(agree, "round \(round)")
            if !agree { return }
        }
    }
}
