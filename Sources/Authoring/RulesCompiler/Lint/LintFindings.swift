internal import JSON

/// Collects what lint finds.
final class LintFindings {
    private let positions: JSONPositions
    /// What is left out, before anything is counted.
    private let ignored: Set<LintFinding.Check>
    private var findings: [LintFinding] = []
    private var overflow = 0
    /// Where the first finding is that is not listed.
    private var overflowStart: JSONPosition?

    init(source: [UInt8], ignoring ignored: Set<LintFinding.Check> = []) {
        self.ignored = ignored
        positions = JSONPositions(source: source.withoutByteOrderMark)
    }

    /// Adds a finding about a value, or about a key. The hint, which compares names, is worked out only for a finding
    /// that is listed.
    func add(
        _ check: LintFinding.Check,
        _ message: String,
        at path: JSONPath,
        isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        guard !ignored.contains(check) else { return }
        if findings.count >= RulesCompilerLimits.diagnosticCount {
            overflow += 1
            // A warning takes the place of a note: no number of notes hides it.
            guard check.severity == .warning, let note = findings.lastIndex(where: { $0.severity == .note })
            else {
                if overflow == 1 {
                    overflowStart = isKey ? positions.key(at: path) : positions.value(at: path)
                }
                return
            }
            let removed = findings.remove(at: note)
            if overflow == 1 { overflowStart = removed.position }
        }
        findings.append(
            LintFinding(
                check: check,
                message: message,
                hint: hint(),
                position: isKey ? positions.key(at: path) : positions.value(at: path),
                path: path.text
            )
        )
    }

    /// All findings in the order of the source, and behind them how many there are more and where the first of those is.
    var sorted: [LintFinding] {
        let sorted = findings.enumerated().sorted { left, right in
            let (a, b) = (left.element.position?.byteOffset ?? 0, right.element.position?.byteOffset ?? 0)
            return (a, left.offset) < (b, right.offset)
        }
        .map(\.element)
        guard overflow > 0, !ignored.contains(.moreFindings) else { return sorted }
        let rest = LintFinding(
            check: .moreFindings,
            message: "and \(overflow) more",
            hint: nil,
            position: overflowStart,
            path: ""
        )
        return sorted + [rest]
    }
}
