public import Vocabulary

/// Collects what is found in a JSON text while it is read: so many findings in the order of the text, and how many there
/// are more.
public final class Findings {
    /// The first part of every code: `rules`.
    private let subject: String
    private let limit: Int
    /// Whether a last finding counts those that are not listed.
    private let tellsOfMore: Bool
    private let positions: JSONPositions
    /// What is left out, before anything is counted: raw values of reasons.
    private var ignored: Set<String>
    private var found: [(finding: Finding, byteOffset: Int)] = []
    private var overflow = 0
    /// Where the first finding is that is not listed.
    private var overflowStart: JSONPosition?

    /// Prepares for what is found in one text.
    ///
    /// - Parameters:
    ///   - source: the text.
    ///   - subject: the first part of every code.
    ///   - limit: how many findings are listed.
    ///   - tellsOfMore: whether a last finding, `more-findings`, counts the others.
    ///   - ignored: raw values of the reasons that are left out.
    public init(
        source: [UInt8],
        subject: String,
        limit: Int,
        tellsOfMore: Bool = true,
        ignoring ignored: Set<String> = []
    ) {
        self.subject = subject
        self.limit = limit
        self.tellsOfMore = tellsOfMore
        self.ignored = ignored
        positions = JSONPositions(source: source)
    }

    /// Leaves out what is found for this reason from now on.
    public func leaveOut(_ reason: some FindingReason) {
        ignored.insert(reason.rawValue)
    }

    /// Adds a finding about a value, or about a key. The hint, which compares names, is worked out only for a finding
    /// that is listed.
    public func add(
        reason: some FindingReason,
        _ message: String,
        at path: JSONPath,
        isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        guard !ignored.contains(reason.rawValue) else { return }
        if found.count >= limit {
            overflow += 1
            // A warning takes the place of a note: no number of notes hides it.
            guard reason.severity != .note,
                let note = found.lastIndex(where: { $0.finding.severity == .note })
            else {
                if overflow == 1 { overflowStart = position(path, isKey) }
                return
            }
            let removed = found.remove(at: note).finding
            if overflow == 1, let line = removed.line, let column = removed.column {
                overflowStart = JSONPosition(line: line, column: column, byteOffset: 0)
            }
        }
        let position = position(path, isKey)
        let finding = Finding(
            code: "\(subject).\(reason.rawValue)",
            severity: reason.severity,
            message,
            hint: hint(),
            line: position?.line,
            column: position?.column,
            path: path.text
        )
        found.append((finding, position?.byteOffset ?? 0))
    }

    private func position(_ path: JSONPath, _ isKey: Bool) -> JSONPosition? {
        isKey ? positions.key(at: path) : positions.value(at: path)
    }

    /// Whether nothing is found so far.
    public var isEmpty: Bool { found.isEmpty }

    /// All findings in the order of the source, and behind them how many there are more and where the first of those is.
    public var sorted: [Finding] {
        let sorted = found.enumerated().sorted { left, right in
            (left.element.byteOffset, left.offset) < (right.element.byteOffset, right.offset)
        }
        .map(\.element.finding)
        guard overflow > 0, tellsOfMore, !ignored.contains("more-findings") else { return sorted }
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
