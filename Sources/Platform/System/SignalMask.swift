internal import CLinux
internal import Glibc

/// Which signals of a thread wait.
enum SignalMask {
    /// Does something that no signal to this thread can end half-way; those that come meanwhile are taken behind it.
    static func holdingSignals(_ body: () throws(SystemCallError) -> Void) throws(SystemCallError) {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }
}
