/// The signals that the pool's processes exchange, with Linux's numbers.
public enum Signal: Int32, Sendable, Hashable, CaseIterable {
    /// SIGHUP: reload.
    case hangup = 1
    /// SIGINT: stop within the drain time.
    case interrupt = 2
    /// SIGQUIT: stop gracefully.
    case quit = 3
    /// SIGKILL: end at once.
    case kill = 9
    /// SIGUSR1: reopen log files.
    case user1 = 10
    /// SIGTERM: stop within the drain time.
    case terminate = 15
    /// SIGCHLD: a child has ended.
    case child = 17
    /// SIGCONT: go on after a stop.
    case proceed = 18
    /// SIGSTOP: stand still until SIGCONT.
    case stop = 19
}
