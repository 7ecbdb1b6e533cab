internal import FastCGI

/// How long the parts of one request took.
struct RequestTiming {
    /// Verifying its payload, or finding out why it is refused; 0 when it never came to that.
    var verifyMicroseconds: UInt64 = 0
    /// All of it, from when the process learned of it.
    var totalMicroseconds: UInt64 = 0
}

extension GatewayRequest where Self: ~Copyable {
    /// How long ago the process learned of the request.
    func elapsedMicroseconds(at monotonicNanoseconds: UInt64) -> UInt64 {
        (monotonicNanoseconds &- acceptedMonotonicNanoseconds) / 1000
    }
}
