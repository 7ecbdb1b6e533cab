internal import Vocabulary

/// Writes metrics as the text of one scrape, in the text format of Prometheus, version 0.0.4. The caller writes each
/// family once, with all its samples.
///
///     var text = MetricText()
///     text.begin(MetricFamily("jobs_total", .counter, labels: ["kind"], help: "Jobs that ended."))
///     text.sample(["import"], 7)
///     let body = text.finished()
public struct MetricText: ~Copyable {
    public static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    private var text = TextBuffer(reservingByteCount: 1 << 16)
    private var family: MetricFamily?
    /// True when the head of the family is not written yet.
    private var needsHead = false

    public init() {}

    /// Begins a family. Its head comes with its first sample, so a family without samples is not in the text.
    public mutating func begin(_ family: MetricFamily) {
        self.family = family
        needsHead = true
    }

    /// Writes the help and the type of the family, unless they are written.
    private mutating func writeHead() {
        guard needsHead, let family else { return }
        needsHead = false
        append("# HELP \(family.name) ")
        appendEscaped(family.help, quotes: false)
        append("\n# TYPE \(family.name) \(family.kind.rawValue)\n")
    }

    /// Writes the sample of a family without labels.
    public mutating func sample(_ number: some BinaryInteger) {
        sample([], number)
    }

    /// Writes a sample of the family that was begun last. `values` has a value for each label of the family.
    public mutating func sample(_ values: [String], _ number: some BinaryInteger) {
        start("", values)
        append("\(number)\n")
    }

    /// Writes a sample whose number is a decimal fraction, see ``decimal(_:unitsPerOne:)``.
    public mutating func sample(_ values: [String] = [], decimal: String) {
        start("", values)
        append("\(decimal)\n")
    }

    /// Writes a sample of a family whose labels have been escaped before, all but the last. `value` is the value of the
    /// last label, in which nothing has to be escaped.
    public mutating func sample(labels: borrowing EscapedLabels, last value: String, _ number: UInt64) {
        writeHead()
        append(family?.name ?? "")
        labels.text.withSpan { text.append($0) }
        append(family?.labels.last ?? "")
        text.append("=\"")
        append(value)
        text.append("\"} ")
        text.append(decimal: number)
        text.append("\n")
    }

    /// Writes a histogram: the samples `_bucket`, `_sum` and `_count`.
    ///
    /// - Parameters:
    ///   - values: a value for each label of the family.
    ///   - edges: the upper edges of the buckets as decimal numbers; one more bucket is above the last edge.
    ///   - counts: the number of values in each bucket.
    ///   - sum: the sum of all values as a decimal number.
    public mutating func histogram(_ values: [String] = [], edges: [String], counts: [UInt64], sum: String) {
        var total: UInt64 = 0
        for (index, count) in counts.enumerated() {
            total &+= count
            start("_bucket", values, edge: index < edges.count ? edges[index] : "+Inf")
            append("\(total)\n")
        }
        start("_sum", values)
        append("\(sum)\n")
        start("_count", values)
        append("\(total)\n")
    }

    public consuming func finished() -> [UInt8] { text.bytes }

    /// Returns `number / unitsPerOne` as a decimal number without zeros at its end. `unitsPerOne` is a power of ten.
    public static func decimal(_ number: UInt64, unitsPerOne: UInt64) -> String {
        let whole = number / unitsPerOne
        var rest = number % unitsPerOne
        guard rest > 0 else { return "\(whole)" }
        var digits = unitsPerOne == 1 ? 0 : "\(unitsPerOne - 1)".utf8.count
        while rest % 10 == 0 {
            rest /= 10
            digits -= 1
        }
        let text = "\(rest)"
        return "\(whole)." + String(repeating: "0", count: digits - text.utf8.count) + text
    }

    /// Returns milliseconds as a decimal number of seconds. The number may be negative.
    public static func seconds(_ milliseconds: Int64) -> String {
        (milliseconds < 0 ? "-" : "") + decimal(UInt64(milliseconds.magnitude), unitsPerOne: 1000)
    }

    private mutating func start(_ suffix: String, _ values: [String], edge: String? = nil) {
        let labels = family?.labels ?? []
        precondition(values.count == labels.count, "a value for each label")
        writeHead()
        append(family?.name ?? "")
        append(suffix)
        if !labels.isEmpty || edge != nil {
            text.append("{")
            for (index, label) in labels.enumerated() { append(label, values[index], isFirst: index == 0) }
            if let edge { append("le", edge, isFirst: labels.isEmpty) }
            text.append("}")
        }
        text.append(" ")
    }

    private mutating func append(_ label: String, _ value: String, isFirst: Bool) {
        if !isFirst { text.append(",") }
        append(label)
        text.append("=\"")
        appendEscaped(value, quotes: true)
        text.append("\"")
    }

    private mutating func append(_ string: String) { text.append(string: string) }

    /// Appends a help text or the value of a label with its escapes: `\\` and `\n`, and with `quotes` also `\"`.
    private mutating func appendEscaped(_ string: String, quotes: Bool) {
        EscapedLabels.append(string.utf8Span.span, quotes: quotes, to: &text)
    }
}
