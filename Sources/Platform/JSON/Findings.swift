public import Vocabulary

/// Collects the findings about a JSON text while the text is read. It lists a limited number of findings, in the order of
/// the text, and counts the others.
public final class Findings {
    /// The first part of every code, for example `rules`.
    private let subject: String
    private let limit: Int
    /// True when a last finding counts the findings that are not listed.
    private let reportsOverflow: Bool
    private let positions: JSONPositions
    /// Raw values of the reasons that are ignored: their findings are neither listed nor counted.
    private var ignored: Set<String>
    private var found: [(finding: Finding, byteOffset: Int)] = []
    private var overflow = 0
    /// The position of the first finding that is not listed.
    private var overflowStart: JSONPosition?

    /// Makes an empty collection for one text.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - subject: the first part of every code.
    ///   - limit: how many findings are listed at most.
    ///   - reportsOverflow: whether a last finding, `more-findings`, counts the others.
    ///   - ignored: raw values of the reasons whose findings are dropped.
    public init(
        source: [UInt8], subject: String, limit: Int, reportsOverflow: Bool = true,
        ignoring ignored: Set<String> = []
    ) {
        self.subject = subject
        self.limit = limit
        self.reportsOverflow = reportsOverflow
        self.ignored = ignored
        positions = JSONPositions(source: source)
    }

    /// Drops all findings with this reason from now on.
    public func ignore(_ reason: some FindingReason) {
        ignored.insert(reason.rawValue)
    }

    /// Adds a finding about a value, or about the key of a member. The hint, which compares names, is computed only for a
    /// finding that is listed.
    public func add(
        reason: some FindingReason, _ message: String, at path: JSONPath, isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        guard !ignored.contains(reason.rawValue) else { return }
        if found.count >= limit {
            overflow += 1
            // A graver finding takes the place of another one, so that notes hide no warning and warnings hide no error.
            guard let other = lessGrave(than: reason.severity) else {
                if overflow == 1 { overflowStart = position(path, isKey) }
                return
            }
            let removed = found.remove(at: other).finding
            if overflow == 1, let line = removed.line, let column = removed.column {
                overflowStart = JSONPosition(line: line, column: column, byteOffset: 0)
            }
        }
        let position = position(path, isKey)
        let finding = Finding(
            code: "\(subject).\(reason.rawValue)", severity: reason.severity, message, hint: hint(),
            line: position?.line, column: position?.column, path: path.text)
        found.append((finding, position?.byteOffset ?? 0))
    }

    /// Returns the place of the last listed note, or else for an error of the last listed warning; nil when there is none.
    private func lessGrave(than severity: Finding.Severity) -> Int? {
        guard severity != .note else { return nil }
        let note = found.lastIndex { $0.finding.severity == .note }
        guard severity == .error else { return note }
        return note ?? found.lastIndex { $0.finding.severity == .warning }
    }

    private func position(_ path: JSONPath, _ isKey: Bool) -> JSONPosition? {
        isKey ? positions.key(at: path) : positions.value(at: path)
    }

    /// True when no finding is listed so far.
    public var isEmpty: Bool { found.isEmpty }

    /// The listed findings in the order of the source. When some are not listed, a last finding says how many, and where the
    /// first of them is.
    public var sorted: [Finding] {
        let sorted = found.enumerated().sorted { left, right in
            (left.element.byteOffset, left.offset) < (right.element.byteOffset, right.offset)
        }
        .map(\.element.finding)
        guard overflow > 0, reportsOverflow, !ignored.contains("more-findings") else { return sorted }
        let rest = Finding(
            code: "\(subject).more-findings",
            severity: found.contains { $0.finding.severity == .error } ? .error : .note,
            "and \(overflow) more",
            line: overflowStart?.line,
            column: overflowStart?.column
        )
        return sorted + [rest]
    }
}
