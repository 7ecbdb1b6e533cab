internal import System

/// Writes metrics as the text of one scrape, in the text format of Prometheus, version 0.0.4. The caller writes each
/// family once, with all its samples.
package struct MetricText: ~Copyable {
    package static let contentType: String = "text/plain; version=0.0.4; charset=utf-8"

    private var text = TextBuffer(reservingByteCount: 1 << 16)
    private var name = ""
    private var labels: [String] = []
    /// The head of the present family. It comes with its first sample, so a family without samples is not in the text.
    private var head: (help: String, kind: MetricKind)?

    package static func page<Source>(_ table: [Metric<Source>], of source: Source) -> [UInt8] {
        var text = MetricText()
        for metric in table {
            (text.name, text.labels) = (metric.name, metric.labels)
            text.head = (metric.help, metric.kind)
            metric.write(source, &text)
        }
        return text.text.bytes
    }

    package mutating func sample(_ number: some BinaryInteger) {
        sample([], number)
    }

    /// Writes a sample of the family that was begun last. `values` has a value for each label of the family.
    package mutating func sample(_ values: [String], _ number: some BinaryInteger) {
        start("", values)
        append("\(number)\n")
    }

    /// Writes a sample whose number is a decimal fraction, see ``decimal(_:unitsPerOne:)``.
    package mutating func sample(_ values: [String] = [], decimal: String) {
        start("", values)
        append("\(decimal)\n")
    }

    /// Writes a histogram: the samples `_bucket`, `_sum` and `_count`.
    package mutating func histogram(_ values: [String] = [], edges: [String], counts: [UInt64], sum: String) {
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

    /// Returns `number / unitsPerOne` as a decimal number without zeros at its end. `unitsPerOne` is a power of ten.
    package static func decimal(_ number: UInt64, unitsPerOne: UInt64) -> String {
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
    package static func seconds(_ milliseconds: Int64) -> String {
        (milliseconds < 0 ? "-" : "") + decimal(UInt64(milliseconds.magnitude), unitsPerOne: 1000)
    }

    private mutating func start(_ suffix: String, _ values: [String], edge: String? = nil) {
        precondition(values.count == labels.count, "a value for each label")
        if let (help, kind) = head {
            append("# HELP \(name) ")
            appendEscaped(help, quotes: false)
            append("\n# TYPE \(name) \(kind.rawValue)\n")
            head = nil
        }
        append(name)
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
        let start = text.count
        text.append(string: string)
        guard !text.isPlain(from: start) else { return }
        text.cut(to: start)
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): text.append("\\\\")
            case UInt8(ascii: "\n"): text.append("\\n")
            case UInt8(ascii: "\"") where quotes: text.append("\\\"")
            default: text.append(byte)
            }
        }
    }
}

package enum MetricKind: String, Sendable {
    /// A count that only grows until the pool ends. Its name ends with `_total`.
    case counter
    case gauge
    case histogram
}

/// One row of a table of metrics.
package struct Metric<Source>: Sendable {
    /// As queries spell it: a counter with `_total`, a histogram without `_bucket`.
    package let name: String
    package let kind: MetricKind
    package let labels: [String]
    package let help: String
    let write: @Sendable (Source, inout MetricText) -> Void

    package init(
        _ name: String, _ kind: MetricKind, labels: [String], _ help: String,
        _ write: @escaping @Sendable (Source, inout MetricText) -> Void
    ) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.help = help
        self.write = write
    }
}

/// Limits how many events pass in each interval and counts the rest, for warnings that an attacker could cause
/// endlessly. The limiter reads no clock; the caller passes the time.
package struct RateLimiter: Sendable {
    private let burst: Int
    private let intervalNanoseconds: UInt64
    private var windowStart: UInt64?
    private var admitted = 0
    private var suppressed = 0

    /// Lets `burst` events pass in each interval. An interval begins with its first event.
    package init(burst: Int, intervalNanoseconds: UInt64) {
        self.burst = burst
        self.intervalNanoseconds = intervalNanoseconds
    }

    /// Returns the number of events held back since the last one that passed, or nil when this event is held back. A clock that goes
    /// back begins a new interval.
    package mutating func admit(atNanoseconds now: UInt64) -> Int? {
        if let start = windowStart, now >= start, now - start < intervalNanoseconds {
            guard admitted < burst else {
                suppressed += 1
                return nil
            }
        } else {
            windowStart = now
            admitted = 0
        }
        admitted += 1
        defer { suppressed = 0 }
        return suppressed
    }
}
