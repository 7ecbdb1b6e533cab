internal import CLinux
internal import Glibc

/// Signals that wait, from the first moment of a program until it listens for them (``SignalDescriptor``) or decides to
/// be ended by them as any other program.
public struct HeldSignals: Sendable {
    private let before: sigset_t

    /// Holds every signal that can be held. Those that come wait and are not lost.
    public init() {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        self.before = before
    }

    /// Has signals act as they did before; those that wait act now.
    public func release() {
        var mask = before
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
