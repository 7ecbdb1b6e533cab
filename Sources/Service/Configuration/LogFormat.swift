/// The format of a log line.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// `TIME LEVEL COMPONENT pid=N key=value ...`
    case logfmt
    /// One JSON object for each line.
    case json
}
