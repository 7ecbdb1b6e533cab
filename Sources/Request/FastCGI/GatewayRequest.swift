/// What came of reading a request's body.
public enum BodyReading: Sendable, Hashable {
    /// All of it, so many bytes; ``GatewayRequest/withBody(_:)`` lends them.
    case complete(byteCount: Int)
    /// It is longer than the limit.
    case tooLarge
    /// Its length is not what CONTENT_LENGTH says, or it ended early.
    case incomplete
    /// The client is gone.
    case aborted
    /// It did not come within its time.
    case late
}

/// One request as a web server hands it over: parameters and a body (RFC 3875), by FastCGI or plain CGI.
public protocol GatewayRequest: ~Copyable {
    /// Lends the value of a parameter, nil when it is absent. Of several with one name the first counts.
    borrowing func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result) -> Result

    /// Reads the body into memory if it has at most `limitBytes`. A second call returns what the first did.
    mutating func readBody(limitBytes: Int) -> BodyReading

    /// Lends the body that ``readBody(limitBytes:)`` found complete, else no bytes.
    borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result

    /// When this process learned of the request, in milliseconds since 1970-01-01T00:00:00Z.
    var acceptedWallMilliseconds: Int64 { get }

    /// The same moment in nanoseconds of the monotonic clock.
    var acceptedMonotonicNanoseconds: UInt64 { get }
}

extension GatewayRequest where Self: ~Copyable {
    /// CONTENT_LENGTH; nil when it is absent or empty, as nginx sends it for a body of unknown length.
    borrowing func declaredBodyLength() -> DeclaredLength {
        withParameter("CONTENT_LENGTH") { text in
            guard let text, text.count > 0 else { return .absent }
            // 18 digits fit into Int whatever they are.
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

/// What CONTENT_LENGTH says.
enum DeclaredLength: Hashable {
    case absent
    case bytes(Int)
    case malformed
}
