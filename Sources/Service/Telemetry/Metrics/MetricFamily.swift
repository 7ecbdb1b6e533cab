/// One row of a table of metrics: the name, kind, labels and meaning of a metric. The text of a scrape and the table in
/// the manual page follow from the same rows.
public struct MetricFamily: Sendable, Hashable {
    /// The kinds of metrics. The raw value is the type in the text.
    public enum Kind: String, Sendable, Hashable {
        /// A count that only grows until the pool ends. Its name ends with `_total`.
        case counter
        /// A value that goes up and down.
        case gauge
        /// Counts of values by size.
        case histogram
    }

    /// The name, as queries spell it: a counter with `_total`, a histogram without `_bucket`.
    public let name: String
    public let kind: Kind
    /// The names of the labels, in the order in which they are written.
    public let labels: [String]
    /// One sentence about the metric.
    public let help: String

    public init(_ name: String, _ kind: Kind, labels: [String] = [], help: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.help = help
    }
}
