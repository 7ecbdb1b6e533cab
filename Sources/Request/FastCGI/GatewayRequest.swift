/// The result of reading a request's body.
public enum BodyReading: Sendable, Hashable {
    /// The whole body was read, with this many bytes; ``GatewayRequest/withBody(_:)`` lends them.
    case complete(byteCount: Int)
    /// The body is longer than the limit.
    case tooLarge
    /// The body's length is not what CONTENT_LENGTH says, or the body ended early.
    case incomplete
    /// The client is gone, or the body cannot be read.
    case aborted
    /// The body did not arrive within its time.
    case late
}

/// One request as a web server passes it over FastCGI or plain CGI: parameters and a body (RFC 3875).
public protocol GatewayRequest: ~Copyable {
    /// Lends the value of a parameter; nil when it is absent. If several parameters have the same name, lends the
    /// first.
    borrowing func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result) -> Result

    /// Reads the body into memory if it has at most `limitBytes`. A second call returns the result of the first.
    mutating func readBody(limitBytes: Int) -> BodyReading

    /// Lends the body that ``readBody(limitBytes:)`` found complete; in all other cases lends no bytes.
    borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result

    /// When this process learned of the request, in milliseconds since 1970-01-01T00:00:00Z.
    var acceptedWallMilliseconds: Int64 { get }

    /// The same moment in nanoseconds of the monotonic clock.
    var acceptedMonotonicNanoseconds: UInt64 { get }

    /// True when the request is to be refused without work, because as many requests wait as the server takes.
    var isOverloaded: Bool { get }
}

extension GatewayRequest where Self: ~Copyable {
    /// False: the request is to be answered.
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

/// The body length that CONTENT_LENGTH declares.
enum DeclaredLength: Hashable {
    case absent
    case bytes(Int)
    case malformed
}
