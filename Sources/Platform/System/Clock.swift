internal import CLinux
internal import Glibc

/// The machine's clocks. Only the edges read them; everything below takes the time as an argument.
public enum Clock {
    /// Milliseconds since 1970-01-01T00:00:00Z, as the wall clock says.
    public static func wallMilliseconds() -> Int64 {
        let now = read(CLOCK_REALTIME)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// Nanoseconds of a clock that never goes back and counts from an arbitrary point.
    public static func monotonicNanoseconds() -> UInt64 {
        let now = read(CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    /// Nanoseconds of processor time this thread has used.
    public static func threadProcessorNanoseconds() -> UInt64 {
        let now = read(CLOCK_THREAD_CPUTIME_ID)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var now = timespec()
        unsafe clock_gettime(clock, &now)
        return now
    }
}
