import Telemetry
import Testing

@Suite("A rate limiter")
struct RateLimiterTests {
    @Test("lets a burst through in each interval and returns how many events it held back")
    func intervals() {
        var limiter = RateLimiter(burst: 2, intervalNanoseconds: 100)
        let times: [(UInt64, Int?)] = [
            (1000, 0), (1001, 0), (1050, nil), (1099, nil), (1100, 2), (1101, 0), (1102, nil), (5000, 1),
            (5099, 0),
            (5099, nil), (4000, 1), (4001, 0), (4002, nil), (.max, 1),
        ]
        for (now, expected) in times { #expect(limiter.admit(atNanoseconds: now) == expected, "at \(now)") }
    }

    @Test("with a burst of zero lets only the first event of an interval through")
    func zero() {
        var limiter = RateLimiter(burst: 0, intervalNanoseconds: 10)
        #expect(limiter.admit(atNanoseconds: 0) == 0)
        #expect(limiter.admit(atNanoseconds: 9) == nil)
        #expect(limiter.admit(atNanoseconds: 10) == 1)
    }
}
