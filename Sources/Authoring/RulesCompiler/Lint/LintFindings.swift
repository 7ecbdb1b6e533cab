internal import JSON

/// Collects what lint finds.
final class LintFindings {
    private let positions: JSONPositions
    private var findings: [LintFinding] = []
    private var overflow = 0

    init(source: [UInt8]) {
        positions = JSONPositions(source: source)
    }

    /// Adds a finding about a value, or about a key.
    func add(
        _ check: LintFinding.Check,
        _ message: String,
        at path: JSONPath,
        isKey: Bool = false,
        hint: String? = nil
    ) {
        guard findings.count < RulesCompilerLimits.diagnosticCount else {
            overflow += 1
            return
        }
        findings.append(
            LintFinding(
                check: check,
                message: message,
                hint: hint,
                position: isKey ? positions.key(at: path) : positions.value(at: path),
                path: path.text
            )
        )
    }

    /// All findings in the order of the source.
    var sorted: [LintFinding] {
        let sorted = findings.enumerated().sorted { left, right in
            let (a, b) = (left.element.position?.byteOffset ?? 0, right.element.position?.byteOffset ?? 0)
            return (a, left.offset) < (b, right.offset)
        }
        .map(\.element)
        guard overflow > 0 else { return sorted }
        let text = "and \(overflow) more"
        return sorted + [
            LintFinding(check: .moreFindings, message: text, hint: nil, position: nil, path: "")
        ]
    }
}
