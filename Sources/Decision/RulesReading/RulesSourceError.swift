public import Vocabulary

/// All errors of a rules source or an inventory that was refused.
public struct RulesSourceError: CodedError, Hashable, CustomStringConvertible {
    /// The findings in the order of the source; at least one.
    public let findings: [Finding]

    package init(findings: [Finding]) {
        self.findings = findings
    }

    /// The code of the first finding.
    public var code: String { findings.first?.code ?? "rules.empty" }

    /// The findings, one on each line.
    public var description: String { findings.map(\.text).joined(separator: "\n") }
}
