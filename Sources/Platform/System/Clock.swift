internal import CLinux
internal import Glibc

/// Reads the machine's clocks and waits. Only the outer layers call this; the inner layers take the time as an argument.
public enum Clock {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public static func wallMilliseconds() -> Int64 { Int64(nanoseconds(CLOCK_REALTIME) / 1_000_000) }

    public static func monotonicNanoseconds() -> UInt64 { nanoseconds(CLOCK_MONOTONIC) }

    /// Never goes back, and also counts the time in which the machine sleeps.
    public static func bootNanoseconds() -> UInt64 { nanoseconds(CLOCK_BOOTTIME) }

    public static func threadProcessorNanoseconds() -> UInt64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

    public static func sleep(milliseconds: Int64) {
        let end = monotonicNanoseconds() + UInt64(max(0, milliseconds)) * 1_000_000
        while true {
            let now = monotonicNanoseconds()
            guard now < end else { return }
            let rest = Int32(clamping: (end - now + 999_999) / 1_000_000)
            guard (try? Readiness.wait(for: [], timeoutMilliseconds: rest)) != nil else { return }
        }
    }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var now = timespec()
        unsafe clock_gettime(clock, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}
