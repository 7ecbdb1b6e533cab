internal import CLinux

/// The slice of a thread: how long the scheduler lets it run at a time when others want the processor. The share of the
/// processor that a thread gets does not depend on it.
///
///     SchedulerSlice.request(nanoseconds: 100_000)
public enum SchedulerSlice {
    /// The slice of the calling thread; 0 where the kernel has none for each thread (before Linux 6.12).
    public static var nanoseconds: UInt64 { rt_slice() }

    /// Asks for another slice for the calling thread and the threads that it starts, 100 us to 100 ms. The kernel takes a thread
    /// with a short slice sooner when it wakes, and lets it go before a thread with a longer one that runs. Does nothing where the
    /// kernel refuses, and for a thread that is not under SCHED_OTHER (sched(7)).
    public static func request(nanoseconds: UInt64) {
        _ = rt_set_slice(nanoseconds)
    }
}
