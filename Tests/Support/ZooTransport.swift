internal import HTTPLoad
import Testing

package struct TransportRow: Sendable, CustomTestStringConvertible {
    package let name: String
    package let status: Int
    package let code: String?
    package let request: @Sendable (ZooForge) throws -> [UInt8]

    init(
        _ name: String, _ status: Int, _ code: String?,
        _ request: @escaping @Sendable (ZooForge) throws -> [UInt8]
    ) {
        self.name = name
        self.status = status
        self.code = code
        self.request = request
    }

    package var testDescription: String { name }
}

extension Zoo {
    /// Requests that are odd in their method, path, header fields or framing. The paths are locations of
    /// nginx/retentiond.conf and locations that the tests add.
    package static let transport: [TransportRow] =
        methods + mediaTypes + [
            TransportRow("an endpoint that does not exist", 404, "endpoint-unknown") {
                RequestText.post("/unknown", try $0.body($0.payload))
            },
            TransportRow("a location that names no endpoint", 404, "endpoint-unknown") {
                RequestText.post("/nothing", try $0.body($0.payload))
            },
            TransportRow("a body of exactly the limit", 400, "body-not-json") { _ in
                RequestText.post(path, [UInt8](repeating: 0x20, count: 65_536))
            },
            TransportRow("a body one byte too large, refused by nginx", 413, "body-too-large") { _ in
                RequestText.post(path, [UInt8](repeating: 0x20, count: 65_537))
            },
            TransportRow("a body one byte too large, refused by the daemon", 413, "body-too-large") { _ in
                RequestText.post("/large", [UInt8](repeating: 0x20, count: 65_537))
            },
            TransportRow("a body of a megabyte, refused by the daemon", 413, "body-too-large") { _ in
                RequestText.post("/large", [UInt8](repeating: 0x20, count: 1_000_000))
            },
            TransportRow("no body and no length", 400, "body-not-json") { _ in
                Array(
                    "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n".utf8
                )
            },
            TransportRow("a body in chunks", 200, nil) { chunked(try $0.body($0.payload), size: 1000) },
            TransportRow("a body in chunks of one byte", 200, nil) {
                chunked(try $0.body($0.payload), size: 1)
            },
            TransportRow("HTTP/1.0", 200, nil) { forge in
                let body = try forge.body(forge.payload)
                let head = "POST \(path) HTTP/1.0\r\nContent-Length: \(body.count)\r\n\r\n"
                return Array(head.utf8) + body
            },
            TransportRow("a query", 200, nil) { RequestText.post("\(path)?a=b", try $0.body($0.payload)) },
            TransportRow("seven kilobytes of header fields", 200, nil) {
                let field = "X-Long: " + String(repeating: "x", count: 7000)
                return RequestText.post(path, try $0.body($0.payload), headers: [field])
            },
            TransportRow("header fields that look like FastCGI parameters", 200, nil) {
                let fields = [
                    "RETENTION-ENDPOINT: ping", "Retention-Msec: 1", "Proxy: x", "Content-Length-X: 5",
                ]
                return RequestText.post(path, try $0.body($0.payload), headers: fields)
            },
        ]

    private static let path = "/retention-message"

    private static let methods: [TransportRow] =
        ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "post", "BREW"].map { method in
            // nginx itself refuses a method in small letters, so the request never reaches the pool.
            TransportRow(
                "the method \(method)", method == "post" ? 400 : 405,
                method == "post" ? nil : "method-not-allowed"
            ) { forge in
                let body = method == "GET" ? [] : try forge.body(forge.payload)
                let head =
                    "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n"
                return Array(head.utf8) + body
            }
        } + [
            TransportRow("the method HEAD", 405, nil) { _ in
                Array("HEAD \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
            }
        ]

    private static let mediaTypes: [TransportRow] =
        [
            "text/plain", "text/json", "application/jose", "application/json2",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x", "application/problem+json", "json",
            "application/json, text/plain",
        ].map { type in
            TransportRow("the media type \(type)", 415, "media-type-unsupported") {
                try request(["Content-Type: \(type)"], $0)
            }
        }
        + ["gzip", "deflate", "br", "identity", "x"].map { coding in
            TransportRow("the content coding \(coding)", 415, "media-type-unsupported") {
                try request(["Content-Type: application/json", "Content-Encoding: \(coding)"], $0)
            }
        }
        + [
            "application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON",
            "application/json ; charset=utf-8",
        ].map { type in
            TransportRow("the media type \(type)", 200, nil) { try request(["Content-Type: \(type)"], $0) }
        }
        + [TransportRow("no media type", 200, nil) { try request([], $0) }]

    private static func request(_ headers: [String], _ forge: ZooForge) throws -> [UInt8] {
        let body = try forge.body(forge.payload)
        let lines = ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(body.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    private static func chunked(_ body: [UInt8], size: Int) -> [UInt8] {
        var bytes = Array(
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".utf8
        )
        for start in stride(from: 0, to: body.count, by: size) {
            let chunk = body[start..<min(start + size, body.count)]
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }
}
