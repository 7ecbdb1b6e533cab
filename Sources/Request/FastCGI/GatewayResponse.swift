/// An answer as a web server takes it (RFC 3875, section 6): a status, a few header fields, a body.
public struct GatewayResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// The type of the body.
    public var contentType: StaticString
    /// What else the header has, in its order.
    public var fields: [HeaderField]
    /// The body.
    public var body: [UInt8]

    /// An answer.
    public init(status: Int, contentType: StaticString, fields: [HeaderField] = [], body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.fields = fields
        self.body = body
    }

    /// The header and the empty line behind it. Every answer is about one moment, so none may be stored.
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
            append(field.value, to: &bytes)
        }
        append("\r\nCache-Control: no-store\r\n\r\n", to: &bytes)
    }

    private func append(_ text: StaticString, to bytes: inout [UInt8]) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Two static strings are equal when their text is.
    public static func == (left: Self, right: Self) -> Bool {
        left.status == right.status && left.contentType.description == right.contentType.description
            && left.fields == right.fields && left.body == right.body
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(body)
    }

    /// The reason phrases of RFC 9110, section 15; RFC 3875 wants one.
    private static func reason(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}
