internal import Glibc
public import System

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
