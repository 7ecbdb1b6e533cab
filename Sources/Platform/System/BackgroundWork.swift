internal import CLinux
internal import Glibc

/// Work that takes only what others leave of the processor, and at once gives way to them (SCHED_IDLE, sched(7)).
///
/// On a machine without any rest it gets about a three-hundredth of what a usual process gets: nothing that takes more
/// than milliseconds may depend on it there.
public enum BackgroundWork {
    /// Lets this process and those it starts come back from the background: raises RLIMIT_NICE as far as is allowed
    /// (getrlimit(2)). Where it must not be raised, CAP_SYS_NICE does as well for as long as this process has it.
    ///
    /// - Returns: whether coming back is possible; without that nothing should be put into the background.
    public static func allowReturn() -> Bool {
        // The limit counts from the other side: 20 minus the lowest niceness.
        let needed = rlim_t(20 - rt_niceness())
        var limit = rlimit()
        guard unsafe getrlimit(rt_rlimit_nice(), &limit) == 0 else { return false }
        if limit.rlim_cur >= needed { return true }
        limit.rlim_cur = needed
        limit.rlim_max = max(limit.rlim_max, needed)
        return unsafe setrlimit(rt_rlimit_nice(), &limit) == 0 || rt_may_set_niceness() != 0
    }

    /// Puts a process into the background or brings it back; 0 is this one. What cannot be done stays undone.
    public static func set(_ isBackground: Bool, of processID: Int32 = 0) {
        _ = rt_set_scheduling(processID, isBackground ? 1 : 0)
    }

    /// Whether a process is in the background.
    public static func isSet(of processID: Int32 = 0) -> Bool {
        rt_is_scheduled_idle(processID) != 0
    }
}
