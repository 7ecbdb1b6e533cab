/// The severity of a log line. The raw values are also those of swift-log's `Logger.Level`.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
    /// Details for developers of the program.
    case debug
    /// At most one line for each request, when there is something to report about it.
    case info
    /// A step in the life of a process: started, reloaded, draining.
    case notice
    /// The service is degraded but answers: a reload was refused, a worker crashed.
    case warning
    /// Somebody must act.
    case error
}
