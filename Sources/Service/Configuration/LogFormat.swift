/// How a log line is written.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// `TIME LEVEL COMPONENT pid=N key=value ...`
    case logfmt
    /// One JSON object a line.
    case json
}
