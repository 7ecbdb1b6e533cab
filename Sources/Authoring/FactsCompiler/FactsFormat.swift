/// How a table of facts is written down.
public enum FactsFormat: String, Sendable, Hashable, CaseIterable {
    /// Comma-separated values (RFC 4180) with a header row. An empty field is a missing value, quoted or not.
    case csv
    /// A JSON object on each line. A missing member, `null` and an empty string are a missing value.
    case ndjson

    /// The one that the name of a file promises; nil when it promises neither.
    public init?(path: String) {
        if path.hasSuffix(".csv") {
            self = .csv
        } else if path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl") {
            self = .ndjson
        } else {
            return nil
        }
    }
}
