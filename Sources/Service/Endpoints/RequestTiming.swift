internal import FastCGI

/// The durations of the parts of one request.
struct RequestTiming {
    /// The time to verify the payload or to find the reason for its refusal; 0 when the request was refused before
    /// that.
    var verifyMicroseconds: UInt64 { verifyNanoseconds / 1000 }
    /// The time since the process learned of the request.
    var totalMicroseconds: UInt64 = 0
    /// The times of the other phases in nanoseconds; 0 for a phase that the request did not reach.
    var readNanoseconds: UInt64 = 0
    var verifyNanoseconds: UInt64 = 0
    var factsNanoseconds: UInt64 = 0
    var decideNanoseconds: UInt64 = 0
    var signNanoseconds: UInt64 = 0
}

extension GatewayRequest where Self: ~Copyable {
    /// Returns the microseconds since the process learned of the request.
    func elapsedMicroseconds(at monotonicNanoseconds: UInt64) -> UInt64 {
        (monotonicNanoseconds &- acceptedMonotonicNanoseconds) / 1000
    }
}
