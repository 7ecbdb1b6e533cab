public import Vocabulary

/// A rules source that was not compiled, with everything that is wrong with it.
public struct RulesCompilerError: CodedError, Hashable, CustomStringConvertible {
    /// The findings in the order of the source; at least one.
    public let findings: [Finding]

    /// The code of the first finding.
    public var code: String { findings.first?.code ?? "rules.empty" }

    /// The findings, one a line.
    public var description: String { findings.map(\.text).joined(separator: "\n") }
}
