/// The signals that processes of the pool exchange, with Linux's numbers.
public enum Signal: Int32, Sendable, Hashable, CaseIterable {
    /// SIGHUP: reload.
    case hangup = 1
    /// SIGINT: stop within the drain time.
    case interrupt = 2
    /// SIGQUIT: stop gracefully.
    case quit = 3
    /// SIGKILL: ends a process at once.
    case kill = 9
    /// SIGUSR1: reopen log files.
    case user1 = 10
    /// SIGUSR2: replace the running binary.
    case user2 = 12
    /// SIGTERM: stop within the drain time.
    case terminate = 15
    /// SIGCHLD: a child has ended.
    case child = 17
    /// SIGCONT: a stopped process goes on.
    case proceed = 18
    /// SIGSTOP: a process stands still.
    case stop = 19
}
