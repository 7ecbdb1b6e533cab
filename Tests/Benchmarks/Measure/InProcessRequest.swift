internal import FastCGI
internal import System

/// A request that a handler in the same process answers.
struct InProcessRequest: GatewayRequest {
    private let parameters: [String: [UInt8]]
    private let body: [UInt8]
    let acceptedWallMilliseconds = Clock.wallMilliseconds()
    let acceptedMonotonicNanoseconds = Clock.monotonicNanoseconds()

    init(_ parameters: [String: String], body: [UInt8] = []) {
        self.parameters = parameters.mapValues { Array($0.utf8) }
        self.body = body
    }

    borrowing func withParameter<Result>(_ name: StaticString, _ body: (Span<UInt8>?) -> Result) -> Result {
        guard let value = parameters[name.description] else { return body(nil) }
        return body(value.span)
    }

    mutating func readBody(limitBytes: Int) -> BodyReading { .complete(byteCount: body.count) }

    borrowing func withBody<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self.body.span)
    }
}
