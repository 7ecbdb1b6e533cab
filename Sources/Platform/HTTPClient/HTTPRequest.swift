/// One request to be sent.
public struct HTTPRequest: Sendable {
    /// `POST`, `GET`, `PUT` or `DELETE`.
    public var method: String
    /// An absolute `https` or `http` URL.
    public var url: String
    /// Header fields in the order they are sent.
    public var headers: [(name: String, value: String)]
    /// The body; nil for none.
    public var body: [UInt8]?

    /// A request of any kind.
    public init(
        method: String,
        url: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// A POST of JSON.
    public static func postJSON(_ body: [UInt8], to url: String) -> HTTPRequest {
        HTTPRequest(
            method: "POST",
            url: url,
            headers: [("Content-Type", "application/json")],
            body: body
        )
    }
}

/// What came back: any status is an answer.
public struct HTTPResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The media type with its parameters; nil when the server did not say.
    public let contentType: String?
    /// The body.
    public let body: [UInt8]
    /// How long it took.
    public let timings: TransferTimings

    /// Puts a response together, for tests of what reads one.
    public init(
        status: Int,
        contentType: String?,
        body: [UInt8],
        timings: TransferTimings = TransferTimings()
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.timings = timings
    }
}

/// Moments of a transfer in microseconds since its start; 0 for what did not happen, as on a kept connection.
public struct TransferTimings: Sendable, Hashable {
    /// The server's name was resolved.
    public var nameLookupMicroseconds: Int64 = 0
    /// The connection stood.
    public var connectMicroseconds: Int64 = 0
    /// TLS was agreed on.
    public var tlsMicroseconds: Int64 = 0
    /// The first byte of the answer came.
    public var firstByteMicroseconds: Int64 = 0
    /// All of the answer was there.
    public var totalMicroseconds: Int64 = 0
    /// Whether a connection was made for it.
    public var usedNewConnection = false

    /// No time at all.
    public init() {}
}
