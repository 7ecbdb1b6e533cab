internal import Glibc
public import System

extension Clock {
    /// Returns the nanoseconds of processor time that this thread has used.
    public static func threadProcessorNanoseconds() -> UInt64 {
        var now = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }
}
