/// The `log` object: which log lines and decision records are written, and how.
public struct LogSettings: Sendable, Hashable {
    /// `level`: the lowest severity that is written.
    public var level = LogLevel.info
    /// `format`: the format of a line.
    public var format = LogFormat.logfmt
    /// `decisions`: path of the file of decision records; nil means that no records are written.
    public var decisions: String?

    /// Creates the default log settings.
    public init() {}
}

/// The format of a log line.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// `TIME LEVEL COMPONENT pid=N key=value ...`
    case logfmt
    /// One JSON object for each line.
    case json
}

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
