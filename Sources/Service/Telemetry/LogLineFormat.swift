/// The form of a log line. The raw values are those of the setting `log.format`, see retentiond.json(5).
public enum LogLineFormat: String, Sendable, Hashable, CaseIterable {
    /// `2026-11-21T01:52:19Z notice worker pid=41 message="ready" generation=7`
    case logfmt
    /// `{"time":"2026-11-21T01:52:19Z","level":"notice","component":"worker","pid":41,"message":"ready","generation":"7"}`
    case json
}
