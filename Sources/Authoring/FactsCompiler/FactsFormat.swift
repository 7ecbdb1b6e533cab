/// The form of a table of facts.
public enum FactsFormat: String, Sendable, Hashable, CaseIterable {
    /// Comma-separated values (RFC 4180) with a header row. An empty field, quoted or not, is a missing value.
    case csv
    /// One JSON object on each line. A missing member, `null` and an empty string are missing values.
    case ndjson

    /// Returns the format that the ending of a file name stands for, or nil for another ending.
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
