/// An HTTP request to be sent.
public struct HTTPRequest: Sendable {
    /// The method: `POST`, `GET`, `PUT` or `DELETE`.
    public var method: String
    /// The URL, which is absolute and has the scheme `https` or `http`.
    public var url: String
    /// The header fields in the order in which they are sent.
    public var headers: [(name: String, value: String)]
    /// The body; nil for a request without body.
    public var body: [UInt8]?

    public init(
        method: String, url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    public static func postJSON(_ body: [UInt8], to url: String) -> HTTPRequest {
        HTTPRequest(method: "POST", url: url, headers: [("Content-Type", "application/json")], body: body)
    }
}

/// The answer to a request. An answer with any status is a response, not an error.
public struct HTTPResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The media type with its parameters; nil when the server sent no Content-Type.
    public let contentType: String?
    /// The value of the field Retry-After (RFC 9110 section 10.2.3); nil when the server sent none. Longer values are cut to
    /// ``HTTPClientLimits/fieldByteCount``.
    public let retryAfter: String?
    /// The value of the field Date (RFC 9110 section 6.6.1), cut like ``retryAfter``; ``HTTPDate`` reads it.
    public let date: String?
    /// The body as it came; empty when the answer has none.
    public let body: [UInt8]
    /// The times that the transfer took.
    public let timings: TransferTimings

    /// Makes a response, for tests of code that reads responses.
    public init(
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
public struct TransferTimings: Sendable, Hashable {
    /// The moment when the server's name was resolved.
    public var nameLookupMicroseconds: Int64 = 0
    /// The moment when the connection was established.
    public var connectMicroseconds: Int64 = 0
    /// The moment when the TLS handshake was complete.
    public var tlsMicroseconds: Int64 = 0
    /// The moment when the first byte of the answer came.
    public var firstByteMicroseconds: Int64 = 0
    /// The moment when the whole answer was there.
    public var totalMicroseconds: Int64 = 0
    /// True when the client made a new connection for this transfer.
    public var usedNewConnection = false

    /// Makes timings in which every number is 0.
    public init() {}
}
