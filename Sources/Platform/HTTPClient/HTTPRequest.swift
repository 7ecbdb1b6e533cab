package struct HTTPRequest: Sendable {
    package var method: String
    /// The URL, which is absolute and has the scheme `https` or `http`.
    package var url: String
    package var headers: [(name: String, value: String)]
    /// The body; nil for a request without body.
    package var body: [UInt8]?

    package init(
        method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    package static func postJSON(_ body: [UInt8], to url: String) -> HTTPRequest {
        HTTPRequest(method: "POST", url: url, headers: [("Content-Type", "application/json")], body: body)
    }
}

/// The answer to a request. An answer with any status is a response, not an error.
package struct HTTPResponse: Sendable {
    package let status: Int
    /// The media type with its parameters; nil when the server sent no Content-Type.
    package let contentType: String?
    /// The value of the field Retry-After (RFC 9110 section 10.2.3); nil when the server sent none. Longer values are cut to
    /// ``HTTPClientLimits/fieldByteCount``.
    package let retryAfter: String?
    /// The value of the field Date (RFC 9110 section 6.6.1), cut like ``retryAfter``; ``HTTPDate`` reads it.
    package let date: String?
    package let body: [UInt8]
    package let timings: TransferTimings

    /// Makes a response, for tests of code that reads responses.
    package init(
        status: Int, contentType: String?, retryAfter: String? = nil, date: String? = nil, body: [UInt8],
        timings: TransferTimings = TransferTimings()
    ) {
        self.status = status
        self.contentType = contentType
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
        self.timings = timings
    }
}

/// The moments of a transfer in microseconds since its start. A step that did not happen, such as connecting on a kept
/// connection, has the number 0.
package struct TransferTimings: Sendable, Hashable {
    package var nameLookupMicroseconds: Int64 = 0
    package var connectMicroseconds: Int64 = 0
    package var tlsMicroseconds: Int64 = 0
    package var firstByteMicroseconds: Int64 = 0
    package var totalMicroseconds: Int64 = 0
    /// True when the client made a new connection for this transfer.
    package var usedNewConnection = false

    package init() {}
}
