@testable import FastCGI
import Support
import System
import Testing

@Suite("A plain CGI request")
struct CGIRequestTests {
    private static let limitBytes = 100

    @Test(
        "reads as much body as CONTENT_LENGTH says, and no more than the limit",
        arguments: [
            ("5", 5, .complete(byteCount: 5)), ("0", 0, .complete(byteCount: 0)),
            ("100", 100, .complete(byteCount: 100)), ("101", 101, .tooLarge), ("6", 5, .incomplete),
            ("4", 5, .complete(byteCount: 4)), (nil, 5, .complete(byteCount: 0)),
            ("", 5, .complete(byteCount: 0)),
            ("-1", 5, .incomplete), ("5x", 5, .incomplete), ("9999999999999999999999", 5, .incomplete),
        ] as [(String?, Int, BodyReading)]
    )
    func body(declared: String?, sentByteCount: Int, expected: BodyReading) throws {
        let sent = pattern(sentByteCount)
        let input = try ScratchFile.make(sent.span, reusing: nil)
        var request = CGIRequest(input: input, values: declared.map { ["CONTENT_LENGTH": $0] } ?? [:])
        let reading = request.readBody(limitBytes: Self.limitBytes)
        #expect(reading == expected)
        let again = request.readBody(limitBytes: 0)
        #expect(again == expected)
        let body = request.withBody { bytes in bytes.indices.map { bytes[$0] } }
        if case .complete(let byteCount) = expected {
            #expect(body == Array(sent[..<byteCount]))
        } else {
            #expect(body.isEmpty)
        }
    }

    @Test("waits for a body only for a limited time", arguments: [0, 3])
    func lateBody(sentByteCount: Int) throws {
        let pipe = try FileDescriptor.pipe()
        try pipe.writing.write(pattern(sentByteCount).span)
        let input = try FileDescriptor.duplicate(of: pipe.reading.number)
        var request = CGIRequest(input: input, values: ["CONTENT_LENGTH": "5"])
        request.bodyMilliseconds = 20
        // The other end stays open and sends nothing more.
        let reading = request.readBody(limitBytes: Self.limitBytes)
        #expect(reading == .late)
        let byteCount = request.withBody { $0.count }
        #expect(byteCount == 0)
        try pipe.writing.write(pattern(5).span)
        let again = request.readBody(limitBytes: Self.limitBytes)
        #expect(again == .late)
    }

    @Test("waits for a body that comes in time, and notices when it ends early")
    func slowBody() throws {
        for (sent, expected) in [(5, BodyReading.complete(byteCount: 5)), (4, .incomplete)] {
            let pipe = try FileDescriptor.pipe()
            let reading = try pipe.reading.duplicate()
            let writing = try pipe.writing.duplicate().release()
            let writer = try JoinableThread<Void> {
                let end = FileDescriptor(takingOwnership: writing)
                for byte in pattern(sent) {
                    _ = try? Readiness.wait(for: [], timeoutMilliseconds: 5)
                    try? end.write([byte].span)
                }
            }
            _ = consume pipe
            var request = CGIRequest(input: reading, values: ["CONTENT_LENGTH": "5"])
            request.bodyMilliseconds = 600_000
            let found = request.readBody(limitBytes: Self.limitBytes)
            #expect(found == expected)
            _ = writer.join()
        }
    }

    @Test("lends parameters from the environment, and nil for absent parameters")
    func parameters() throws {
        let request = CGIRequest(input: try ScratchFile.make([UInt8]().span, reusing: nil))
        let path = request.withParameter("PATH") { $0?.count }
        let absent = request.withParameter("RETENTION_ABSENT") { $0?.count }
        #expect(path.map { $0 > 0 } == true)
        #expect(absent == nil)
    }

    @Test(
        "is answered with a status line, header fields and the body",
        arguments: [
            (
                GatewayResponse(status: 200, contentType: "application/json", body: Array("{}".utf8)),
                "Status: 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                    + "Cache-Control: no-store\r\n\r\n{}"
            ),
            (
                GatewayResponse(status: 405, contentType: "text/plain", fields: [.allow("POST")], body: []),
                "Status: 405 Method Not Allowed\r\nContent-Type: text/plain\r\nContent-Length: 0\r\nAllow: POST\r\n"
                    + "Cache-Control: no-store\r\n\r\n"
            ),
        ]
    )
    func answer(response: GatewayResponse, expected: String) throws {
        let output = try ScratchFile.make([UInt8]().span, reusing: nil)
        try CGIRequest.write(response, to: output)
        let copy = try FileDescriptor.openForReading(path: "/proc/self/fd/\(output.number)")
        #expect(String(decoding: try copy.readAll(limitBytes: 10_000), as: UTF8.self) == expected)
    }
}
