/// The text formats of a scrape.
public enum MetricFormat: Sendable, Hashable, CaseIterable {
    /// The text format of Prometheus, version 0.0.4.
    case prometheus
    /// OpenMetrics, version 1.0.0.
    case openMetrics

    /// The value of Content-Type.
    public var contentType: StaticString {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// The longest `Accept` that is read. Longer ones count as absent.
    private static let acceptByteCount = 2048

    /// Chooses the format for a request's `Accept` (RFC 9110 section 12.5.1): OpenMetrics for a client that names it in
    /// version 1 and prefers it, and otherwise the text format of Prometheus, which every client reads.
    public init(accept: Span<UInt8>?) {
        guard let accept, accept.count <= Self.acceptByteCount else {
            self = .prometheus
            return
        }
        let text = String(decoding: accept.indices.map { accept[$0] }, as: UTF8.self)
        var openMetrics = 0
        var plain = 0
        for range in text.split(separator: ",") {
            let parts = range.split(separator: ";").map { Self.trimmed($0) }
            guard let type = parts.first else { continue }
            let weight = Self.weight(parts.dropFirst())
            switch type {
            case "application/openmetrics-text":
                let version = parts.dropFirst().first { $0.hasPrefix("version=") }?.dropFirst(
                    "version=".count
                )
                if version.map({ $0.filter { $0 != "\"" }.hasPrefix("1.") }) ?? true {
                    openMetrics = max(openMetrics, weight)
                }
            case "text/plain": plain = max(plain, weight)
            default: break
            }
        }
        self = openMetrics > 0 && openMetrics >= plain ? .openMetrics : .prometheus
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let bytes = text.utf8.drop(while: isSpace)
        let count = bytes.reversed().drop(while: isSpace).count
        return String(Substring(bytes.prefix(count))).lowercased()
    }

    /// Returns the weight `q` in thousandths: 1000 when it is absent, 0 when it is malformed or above 1.
    private static func weight(_ parameters: ArraySlice<String>) -> Int {
        guard let text = parameters.first(where: { $0.hasPrefix("q=") })?.dropFirst(2) else { return 1000 }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.count == 2 ? parts[1] : ""
        guard let whole = parts.first.flatMap({ Int($0) }), (0...1).contains(whole), digits.utf8.count <= 3,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return 0 }
        let thousandths = Int(digits + String(repeating: "0", count: 3 - digits.utf8.count)) ?? 0
        let weight = whole * 1000 + thousandths
        return weight <= 1000 ? weight : 0
    }
}
