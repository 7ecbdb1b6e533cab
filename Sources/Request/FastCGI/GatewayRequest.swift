internal import Glibc
public import System

public enum BodyReading: Sendable, Hashable {
    /// The whole body was read, with this many bytes; ``GatewayRequest/withBody(_:)`` lends them.
    case complete(byteCount: Int)
    case tooLarge
    /// The body's length is not what CONTENT_LENGTH says, or the body ended early.
    case incomplete
    case aborted
    case late
}

/// One request as a web server passes it over FastCGI or plain CGI: parameters and a body (RFC 3875).
public protocol GatewayRequest: ~Copyable {
    /// Lends the value of a parameter; nil when it is absent. If several parameters have the same name, lends the first.
    borrowing func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result) -> Result

    /// Reads the body into memory if it has at most `limitBytes`. A second call returns the result of the first.
    mutating func readBody(limitBytes: Int) -> BodyReading

    /// Lends the body that ``readBody(limitBytes:)`` found complete; in all other cases lends no bytes.
    borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result

    var acceptedWallMilliseconds: Int64 { get }
    var acceptedMonotonicNanoseconds: UInt64 { get }

    /// True when the request is to be refused without work, because as many requests wait as the server takes.
    var isOverloaded: Bool { get }
}

extension GatewayRequest where Self: ~Copyable {
    public var isOverloaded: Bool { false }

    /// Returns the length in CONTENT_LENGTH. It is absent or empty when nginx does not know the length of the body.
    borrowing func declaredBodyLength() -> DeclaredLength {
        withParameter("CONTENT_LENGTH") { text in
            guard let text, text.count > 0 else { return .absent }
            // 18 digits always fit into Int.
            guard text.count <= 18 else { return .malformed }
            var value = 0
            for index in text.indices {
                guard let digit = Self.digit(text[index]) else { return .malformed }
                value = value * 10 + digit
            }
            return .bytes(value)
        }
    }

    private static func digit(_ byte: UInt8) -> Int? {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int(byte - UInt8(ascii: "0")) : nil
    }
}

enum DeclaredLength: Hashable {
    case absent
    case bytes(Int)
    case malformed
}

/// An answer in the form that a web server expects (RFC 3875, section 6): a status, a few header fields, a body.
public struct GatewayResponse: Sendable, Hashable {
    public var status: Int
    public var contentType: String
    public var fields: [HeaderField]
    public var body: [UInt8]

    public init(status: Int, contentType: String, fields: [HeaderField] = [], body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.fields = fields
        self.body = body
    }

    /// Appends the header and the empty line after it. Every answer is about one moment, so no cache may store it.
    func appendHead(to bytes: inout [UInt8]) {
        var head = "Status: \(status) \(Self.reason(status))\r\nContent-Type: \(contentType)\r\n"
        head += "Content-Length: \(body.count)\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        bytes.append(contentsOf: (head + "Cache-Control: no-store\r\n\r\n").utf8)
    }

    /// Returns the reason phrase of RFC 9110, section 15. RFC 3875 requires a phrase.
    private static func reason(_ status: Int) -> String {
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

public struct HeaderField: Sendable, Hashable {
    public let name: String
    /// The value of the field. Text of a client must not stand in it: a line feed would end the field.
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    public static func allow(_ methods: String) -> HeaderField { HeaderField("Allow", methods) }
}

/// The one request of a process that was started as plain CGI/1.1 (RFC 3875). The parameters are in the environment,
/// the body is on standard input.
public struct CGIRequest: GatewayRequest, ~Copyable {
    public let acceptedWallMilliseconds: Int64
    public let acceptedMonotonicNanoseconds: UInt64

    /// How many milliseconds after ``acceptedMonotonicNanoseconds`` the body must have arrived; nil waits for ever.
    public var bodyMilliseconds: Int64?

    private let input: FileDescriptor
    private let values: [String: String]?
    private var body: [UInt8] = []
    private var reading: BodyReading?

    public init(input: consuming FileDescriptor) {
        self.init(input: input, values: nil)
    }

    init(input: consuming FileDescriptor, values: [String: String]?) {
        self.input = input
        self.values = values
        acceptedWallMilliseconds = Clock.wallMilliseconds()
        acceptedMonotonicNanoseconds = Clock.monotonicNanoseconds()
    }

    public borrowing func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result)
        -> Result
    {
        if let values {
            guard let value = values[name.description] else { return body(nil) }
            return body(Array(value.utf8).span)
        }
        guard name.hasPointerRepresentation else { return body(nil) }
        let key = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        guard let value = unsafe getenv(key) else { return body(nil) }
        let bytes = unsafe UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self)
        return unsafe body(Span(_unsafeStart: bytes, count: strlen(value)))
    }

    /// A body that has not arrived within ``bodyMilliseconds`` is `late`, so no client makes this process wait longer.
    /// Without CONTENT_LENGTH there is no body (RFC 3875, section 4.1.2), and the process does not wait for the end of
    /// standard input.
    public mutating func readBody(limitBytes: Int) -> BodyReading {
        if let reading { return reading }
        let result = read(limitBytes: limitBytes)
        reading = result
        return result
    }

    public borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ borrow: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard case .complete = reading else { return try borrow(body.span.extracting(first: 0)) }
        return try borrow(body.span)
    }

    /// Writes the answer to `output`, which is standard output. Throws the errno of `write`; `system.epipe` when the web
    /// server has closed its end.
    public static func write(_ response: GatewayResponse, to output: borrowing FileDescriptor)
        throws(SystemCallError)
    {
        var bytes: [UInt8] = []
        response.appendHead(to: &bytes)
        bytes.append(contentsOf: response.body)
        try output.write(bytes.span)
    }

    private mutating func read(limitBytes: Int) -> BodyReading {
        let declared: Int
        switch declaredBodyLength() {
        case .absent: return .complete(byteCount: 0)
        case .malformed: return .incomplete
        case .bytes(let count): declared = count
        }
        guard declared <= limitBytes else { return .tooLarge }
        var block = [UInt8](repeating: 0, count: min(max(declared, 1), 65_536))
        while body.count < declared {
            guard hasInputInTime() else { return .late }
            guard let count = try? input.read(into: &block) else { return .aborted }
            guard count > 0 else { return .incomplete }
            body.append(contentsOf: block[..<min(count, declared - body.count)])
        }
        return .complete(byteCount: declared)
    }

    private borrowing func hasInputInTime() -> Bool {
        guard let bodyMilliseconds else { return true }
        while true {
            let elapsed = Int64((Clock.monotonicNanoseconds() &- acceptedMonotonicNanoseconds) / 1_000_000)
            guard elapsed < bodyMilliseconds else { return false }
            let left = Int32(clamping: bodyMilliseconds - elapsed)
            guard let ready = try? Readiness.wait(for: [input.number], timeoutMilliseconds: left) else {
                // The read that follows reports the error.
                return true
            }
            if !ready.isEmpty { return true }
        }
    }
}
