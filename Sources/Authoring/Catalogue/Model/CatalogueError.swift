public import Vocabulary

/// All errors of a catalogue that was refused.
public struct CatalogueError: CodedError, Hashable, CustomStringConvertible {
    /// The findings in the order of the file; at least one.
    public let findings: [Finding]

    /// The code of the first finding.
    public var code: String { findings.first?.code ?? "catalogue.empty" }

    /// The findings, one on each line.
    public var description: String { findings.map(\.text).joined(separator: "\n") }
}
