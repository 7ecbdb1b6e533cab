internal import JSON

/// Collects what is wrong with a source while it is read.
final class Findings {
    /// The first part of every code.
    private let subject: String
    private let positions: JSONPositions
    private var diagnostics: [RulesDiagnostic] = []
    /// What only follows from something that was found.
    private var consequences: Set<RulesDiagnostic.Reason> = []
    private var overflow = 0
    /// Where the first finding is that is not listed.
    private var overflowStart: JSONPosition?

    init(source: [UInt8], subject: String) {
        self.subject = subject
        positions = JSONPositions(source: source)
    }

    /// Leaves out what is found for this reason from now on.
    func leaveOut(_ reason: RulesDiagnostic.Reason) {
        consequences.insert(reason)
    }

    /// Adds a finding about a value, or about a key. The hint, which compares names, is worked out only for a finding
    /// that is listed.
    func add(
        _ reason: RulesDiagnostic.Reason,
        _ message: String,
        at path: JSONPath,
        isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        guard !consequences.contains(reason) else { return }
        guard diagnostics.count < RulesCompilerLimits.diagnosticCount else {
            if overflow == 0 { overflowStart = isKey ? positions.key(at: path) : positions.value(at: path) }
            overflow += 1
            return
        }
        diagnostics.append(
            RulesDiagnostic(
                code: "\(subject).\(reason.rawValue)",
                message: message,
                hint: hint(),
                position: isKey ? positions.key(at: path) : positions.value(at: path),
                path: path.text
            )
        )
    }

    /// Whether nothing is wrong so far.
    var isEmpty: Bool { diagnostics.isEmpty }

    /// All findings in the order of the source, and behind them how many there are more and where the first of those is.
    var sorted: [RulesDiagnostic] {
        let sorted = diagnostics.enumerated().sorted { left, right in
            let (a, b) = (left.element.position?.byteOffset ?? 0, right.element.position?.byteOffset ?? 0)
            return (a, left.offset) < (b, right.offset)
        }
        .map(\.element)
        guard overflow > 0 else { return sorted }
        let rest = RulesDiagnostic(
            code: "\(subject).\(RulesDiagnostic.Reason.moreFindings.rawValue)",
            message: "and \(overflow) more",
            hint: nil,
            position: overflowStart,
            path: ""
        )
        return sorted + [rest]
    }
}
