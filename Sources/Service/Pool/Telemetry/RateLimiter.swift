/// Limits how many events pass in each interval and counts the rest, for warnings that an attacker could cause
/// endlessly. The limiter reads no clock; the caller passes the time.
package struct RateLimiter: Sendable {
    private let burst: Int
    private let intervalNanoseconds: UInt64
    private var windowStart: UInt64?
    private var admitted = 0
    private var suppressed = 0

    /// Makes a limiter that lets `burst` events pass in each interval. An interval begins with its first event.
    package init(burst: Int, intervalNanoseconds: UInt64) {
        self.burst = burst
        self.intervalNanoseconds = intervalNanoseconds
    }

    /// Decides whether one event passes.
    ///
    /// - Parameter now: nanoseconds of a monotonic clock. A clock that goes back begins a new interval.
    /// - Returns: the number of events held back since the last one that passed, or nil when this event is held back.
    package mutating func admit(atNanoseconds now: UInt64) -> Int? {
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
