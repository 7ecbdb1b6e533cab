import HTTPClient
import Support
import Testing

@Suite("The fields of an answer")
struct HTTPFieldTests {
    @Test("are given when the server sent them, cut to their limit")
    func fields() throws {
        let long = String(repeating: "7", count: 500)
        let server = try LoopbackServer { request in
            switch request.path {
            case "/both": .respond(status: 429, headers: ["retry-AFTER: 1795219200000", "Date: today"])
            case "/long": .respond(status: 429, headers: ["Retry-After: \(long)"])
            case "/bytes":
                .raw(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nDate: \u{FF}".utf8) + [
                        0xFF, 13, 10, 13, 10,
                    ]
                )
            default: .respond(status: 200)
            }
        }
        defer { server.stop() }
        let client = try HTTPClient()
        func answer(_ path: String) throws -> HTTPResponse {
            try client.perform(HTTPRequest(method: "GET", url: server.url(path)))
        }
        let both = try answer("/both")
        #expect(both.retryAfter == "1795219200000" && both.date == "today")
        #expect(try answer("/long").retryAfter == String(long.prefix(HTTPClientLimits.fieldByteCount)))
        #expect(try answer("/bytes").date?.isEmpty == false)
        let none = try answer("/")
        #expect(none.retryAfter == nil && none.date == nil)
    }

    @Test(
        "that are dates are read in the one form that servers may write",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sat, 21 Nov 2026 00:00:00 GMT", 1_795_219_200_000), ("", nil), ("Sun, 06 Nov 1994", nil),
            ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sun, 6 Nov 1994 08:49:37 GMT", nil),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun Nov  6 08:49:37 1994", nil),
            ("Sun, 31 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 24:00:00 GMT", nil), ("Sun, 06 Nov 1994 08:49:37Z GMT", nil),
        ] as [(String, Int64?)]
    )
    func dates(text: String, milliseconds: Int64?) {
        #expect(HTTPDate.milliseconds(text) == milliseconds)
    }
}
