/// How severe a log line is; the raw values are also those of swift-log's `Logger.Level`.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
    /// For whoever works on the program.
    case debug
    /// One line a request, when something is to be said of it.
    case info
    /// Lifecycle: started, reloaded, draining.
    case notice
    /// Degraded but serving: a reload was refused, a worker crashed.
    case warning
    /// Somebody must act.
    case error
}
