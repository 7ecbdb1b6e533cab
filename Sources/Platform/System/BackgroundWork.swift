internal import CLinux
internal import Glibc

/// Puts processes into the background (SCHED_IDLE, sched(7)): they get only the processor time that other processes
/// leave, and give way to others at once.
///
/// On a machine whose processors are always busy, a background process gets about a three-hundredth of what a usual
/// process gets. There, nothing that needs more than milliseconds of processor time may depend on it.
public enum BackgroundWork {
    /// Makes it possible for this process and its children to leave the background: raises RLIMIT_NICE (getrlimit(2)).
    /// Where the kernel refuses that, CAP_SYS_NICE is enough, as long as this process has it.
    ///
    /// - Parameter niceness: the niceness outside the background.
    /// - Returns: true when a process can leave the background; if not, put no process into it.
    public static func allowReturn(toNiceness niceness: Int32 = ServiceThread.niceness) -> Bool {
        // RLIMIT_NICE is 20 minus the lowest niceness that a process may take.
        let needed = rlim_t(20 - niceness)
        var limit = rlimit()
        guard unsafe getrlimit(rt_rlimit_nice(), &limit) == 0 else { return false }
        if limit.rlim_cur >= needed { return true }
        limit.rlim_cur = needed
        limit.rlim_max = max(limit.rlim_max, needed)
        return unsafe setrlimit(rt_rlimit_nice(), &limit) == 0 || rt_may_set_niceness() != 0
    }

    /// True when the calling thread has the usual policy (SCHED_OTHER), which is what a process has that leaves the background.
    public static var hasUsualPolicy: Bool { rt_is_scheduled_usually(0) != 0 }

    /// Puts a process, or one thread of it, into the background or takes it out; 0 is the calling thread. Does nothing where
    /// the kernel refuses.
    public static func set(_ isBackground: Bool, of processID: Int32 = 0) {
        _ = rt_set_scheduling(processID, isBackground ? 1 : 0)
    }

    /// Returns true when a process or a thread is in the background; 0 is the calling thread.
    public static func isSet(of processID: Int32 = 0) -> Bool {
        rt_is_scheduled_idle(processID) != 0
    }
}
