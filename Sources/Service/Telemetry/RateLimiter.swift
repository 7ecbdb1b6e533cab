/// Lets a few events through in each interval and counts the others: for warnings an attacker could cause without end.
/// It has no clock.
public struct RateLimiter: Sendable {
    private let burst: Int
    private let intervalNanoseconds: UInt64
    private var windowStart: UInt64?
    private var admitted = 0
    private var suppressed = 0

    /// Lets `burst` events through in each interval, which begins with the first of them.
    public init(burst: Int, intervalNanoseconds: UInt64) {
        self.burst = burst
        self.intervalNanoseconds = intervalNanoseconds
    }

    /// Decides about one event.
    ///
    /// - Parameter now: nanoseconds of a clock that does not go back; one that does begins a new interval.
    /// - Returns: how many were held back since the last one that was let through, or nil when this one is held back.
    public mutating func admit(atNanoseconds now: UInt64) -> Int? {
        if let start = windowStart, now >= start, now - start < intervalNanoseconds {
            guard admitted < burst else {
                suppressed += 1
                return nil
            }
        } else {
            windowStart = now
            admitted = 0
        }
        admitted += 1
        defer { suppressed = 0 }
        return suppressed
    }
}
