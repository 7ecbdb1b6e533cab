internal import CLinux
internal import Glibc

/// How far this thread gives way to others, -20 to 19 (nice(2)).
public enum Niceness {
    /// What work that nobody waits for adds to the niceness it was started with: enough that requests do not wait for
    /// it, little enough that it ends in time on a machine that is never idle.
    public static let background: Int32 = 10

    /// The present one.
    public static var current: Int32 { rt_niceness() }

    /// Sets it. What cannot be set stays as it was; processes started later inherit it.
    public static func set(_ value: Int32) {
        _ = rt_set_niceness(value)
    }

    /// Lets this process and those it starts go back to the present niceness after they were set above it, also without
    /// privileges: raises the limit as far as allowed.
    ///
    /// - Returns: whether going back is possible.
    public static func allowReturn() -> Bool {
        // The limit counts from the other side: 20 minus the lowest niceness (getrlimit(2)).
        let needed = rlim_t(20 - current)
        var limit = rlimit()
        guard unsafe getrlimit(rt_rlimit_nice(), &limit) == 0 else { return false }
        if limit.rlim_cur >= needed { return true }
        limit.rlim_cur = needed
        limit.rlim_max = max(limit.rlim_max, needed)
        return unsafe setrlimit(rt_rlimit_nice(), &limit) == 0
    }
}
