internal import CLinux
internal import Glibc

/// Holds signals to a thread back for a short time.
enum SignalMask {
    /// Calls `body` while every signal to this thread is blocked, so that none can end it half-way. Signals that come
    /// meanwhile act afterwards.
    static func holdingSignals(_ body: () throws(SystemCallError) -> Void) throws(SystemCallError) {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }
}
