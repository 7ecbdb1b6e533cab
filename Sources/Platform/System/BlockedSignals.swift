internal import CLinux
internal import Glibc

/// Holds signals back from the program's first moment until it reads them (``SignalDescriptor``), or until it lets them
/// act as in any other program (``release()``).
public struct BlockedSignals: Sendable {
    private let before: sigset_t

    /// Holds every signal that can be held. Signals that come from now on wait and are not lost.
    public init() {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        self.before = before
    }

    /// Restores the former signal mask. The waiting signals act now.
    public func release() {
        var mask = before
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
