public import Vocabulary

/// A rules source that was not compiled, with everything that is wrong with it.
public struct RulesCompilerError: CodedError, Hashable, CustomStringConvertible {
    /// The findings in the order of the source; at least one.
    public let diagnostics: [RulesDiagnostic]

    /// The code of the first finding.
    public var code: String { diagnostics.first?.code ?? "rules.empty" }

    /// The findings, one a line.
    public var description: String { diagnostics.map(\.text).joined(separator: "\n") }
}
