/// An answer in the form that a web server expects (RFC 3875, section 6): a status, a few header fields, a body.
public struct GatewayResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// The media type of the body.
    public var contentType: StaticString
    /// Further header fields, in the order in which they are sent.
    public var fields: [HeaderField]
    /// The body, byte for byte.
    public var body: [UInt8]
    /// How long ``FastCGIServer`` waits before it sends the answer, in milliseconds. It answers other requests
    /// meanwhile.
    public var delayMilliseconds: UInt64 = 0

    public init(status: Int, contentType: StaticString, fields: [HeaderField] = [], body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.fields = fields
        self.body = body
    }

    /// Appends the header and the empty line after it. Every answer is about one moment, so no cache may store it.
    func appendHead(to bytes: inout [UInt8]) {
        append("Status: ", to: &bytes)
        bytes.append(contentsOf: String(status).utf8)
        bytes.append(UInt8(ascii: " "))
        append(Self.reason(status), to: &bytes)
        append("\r\nContent-Type: ", to: &bytes)
        append(contentType, to: &bytes)
        append("\r\nContent-Length: ", to: &bytes)
        bytes.append(contentsOf: String(body.count).utf8)
        for field in fields {
            append("\r\n", to: &bytes)
            append(field.name, to: &bytes)
            append(": ", to: &bytes)
            bytes.append(contentsOf: field.value.utf8)
        }
        append("\r\nCache-Control: no-store\r\n\r\n", to: &bytes)
    }

    private func append(_ text: StaticString, to bytes: inout [UInt8]) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Returns true when all parts are equal. Two static strings are equal when their texts are.
    public static func == (left: Self, right: Self) -> Bool {
        left.status == right.status && left.contentType.description == right.contentType.description
            && left.fields == right.fields && left.body == right.body
            && left.delayMilliseconds == right.delayMilliseconds
    }

    /// Hashes the status and the body.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(body)
    }

    /// Returns the reason phrase of RFC 9110, section 15. RFC 3875 requires a phrase.
    private static func reason(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}

/// A header field of an answer (RFC 9110, section 5).
public struct HeaderField: Sendable, Hashable {
    public let name: StaticString
    /// The value of the field. Text of a client must not stand in it: a line feed would end the field.
    public let value: String

    public init(_ name: StaticString, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Makes the field `Allow` with the methods that an endpoint takes. It belongs to a 405.
    public static func allow(_ methods: String) -> HeaderField { HeaderField("Allow", methods) }

    /// Returns true when name and value have the same texts.
    public static func == (left: Self, right: Self) -> Bool {
        left.name.description == right.name.description && left.value == right.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.description)
        hasher.combine(value)
    }
}
