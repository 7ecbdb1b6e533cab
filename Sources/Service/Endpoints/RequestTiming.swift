internal import FastCGI

/// The durations of the parts of one request.
struct RequestTiming {
    /// The time to verify the payload or to find the reason for its refusal; 0 when the request was refused before
    /// that.
    var verifyMicroseconds: UInt64 = 0
    /// The time since the process learned of the request.
    var totalMicroseconds: UInt64 = 0
}

extension GatewayRequest where Self: ~Copyable {
    /// Returns the microseconds since the process learned of the request.
    func elapsedMicroseconds(at monotonicNanoseconds: UInt64) -> UInt64 {
        (monotonicNanoseconds &- acceptedMonotonicNanoseconds) / 1000
    }
}
