import FastCGI
import System

/// A request without a web server.
struct GatewayDouble: GatewayRequest, ~Copyable {
    var parameters: [String: String]
    var content: [UInt8] = []
    var reading: BodyReading?
    /// How long `withBody` waits before it lends the body.
    var delayMilliseconds: Int32 = 0
    var acceptedWallMilliseconds: Int64 = 0
    var acceptedMonotonicNanoseconds: UInt64 = 0
    var isOverloaded = false

    init(_ parameters: [String: String], body: [UInt8] = []) {
        self.parameters = parameters
        content = body
    }

    borrowing func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result) -> Result {
        guard let value = parameters[name.description] else { return body(nil) }
        let bytes = Array(value.utf8)
        return body(bytes.span)
    }

    mutating func readBody(limitBytes: Int) -> BodyReading {
        reading ?? (content.count > limitBytes ? .tooLarge : .complete(byteCount: content.count))
    }

    borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if delayMilliseconds > 0 { _ = try? Readiness.wait(for: [], timeoutMilliseconds: delayMilliseconds) }
        return try body(content.span)
    }
}
