internal import Glibc

/// A clock that never goes back.
enum MonotonicTime {
    /// Returns the nanoseconds since some moment in the past.
    static func nanoseconds() -> UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}
