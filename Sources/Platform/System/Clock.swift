internal import CLinux
internal import Glibc

/// Reads the machine's clocks and waits. Only the outer layers call this; the inner layers take the time as an argument.
public enum Clock {
    /// Returns the wall clock's time in milliseconds since 1970-01-01T00:00:00Z.
    public static func wallMilliseconds() -> Int64 {
        let now = read(CLOCK_REALTIME)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// Returns the nanoseconds of a clock that never goes back and counts from an arbitrary point.
    public static func monotonicNanoseconds() -> UInt64 {
        let now = read(CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    /// Returns the nanoseconds of a clock that never goes back and also counts the time in which the machine sleeps.
    public static func bootNanoseconds() -> UInt64 {
        let now = read(CLOCK_BOOTTIME)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    /// Returns the nanoseconds of processor time that this thread has used.
    public static func threadProcessorNanoseconds() -> UInt64 {
        let now = read(CLOCK_THREAD_CPUTIME_ID)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    /// Waits, also when signals come in between.
    public static func sleep(milliseconds: Int64) {
        let end = monotonicNanoseconds() + UInt64(max(0, milliseconds)) * 1_000_000
        while true {
            let now = monotonicNanoseconds()
            guard now < end else { return }
            let rest = Int32(clamping: (end - now + 999_999) / 1_000_000)
            guard (try? Readiness.wait(for: [], timeoutMilliseconds: rest)) != nil else { return }
        }
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var now = timespec()
        unsafe clock_gettime(clock, &now)
        return now
    }
}
