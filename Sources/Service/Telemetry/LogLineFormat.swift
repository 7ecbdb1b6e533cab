/// How a log line is written; the raw values are those of the configuration's `log.format`.
public enum LogLineFormat: String, Sendable, Hashable, CaseIterable {
    /// `2026-11-21T01:52:19Z notice worker pid=41 message="ready" generation=7`
    case logfmt
    /// `{"time":"2026-11-21T01:52:19Z","level":"notice","component":"worker","pid":41,"message":"ready","generation":"7"}`
    case json
}
