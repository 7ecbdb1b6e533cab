internal import CLinux
internal import Glibc

/// Receives signals through a descriptor (signalfd(2)). No handler ever runs, so no system call is interrupted.
public struct SignalDescriptor: ~Copyable, Sendable {
    /// The descriptor; readable when a signal waits.
    public let descriptor: FileDescriptor

    /// Blocks every signal in this thread, and in threads it starts later, and receives `signals` through the
    /// descriptor.
    public init(receiving signals: [Signal]) throws(SystemCallError) {
        Self.blockAll()
        var chosen = sigset_t()
        unsafe sigemptyset(&chosen)
        for signal in signals { unsafe sigaddset(&chosen, signal.rawValue) }
        let number = unsafe signalfd(-1, &chosen, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        guard number >= 0 else { throw .last("signalfd") }
        descriptor = FileDescriptor(takingOwnership: number)
    }

    /// Returns the next waiting signal, or nil when no signal waits. Signals that ``Signal`` does not have are skipped.
    public borrowing func next() throws(SystemCallError) -> Signal? {
        while true {
            var record = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            let count = unsafe CLinux.read(descriptor.number, &record, size)
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN { return nil }
            guard count == size else { throw .last("read") }
            if let signal = Signal(rawValue: Int32(bitPattern: record.ssi_signo)) { return signal }
        }
    }

    /// Blocks, in this thread, every signal that can be blocked.
    public static func blockAll() {
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
    }
}
