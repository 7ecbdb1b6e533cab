public import Vocabulary

/// Why a text is no valid `retentiond.json`.
public struct ConfigurationError: CodedError, Hashable, CustomStringConvertible {
    /// Everything that is wrong with it, in the order of the text; at least one. A text that is no JSON as we accept it
    /// has one, with JSON's own code.
    public let findings: [Finding]

    /// Refuses for these reasons.
    public init(_ findings: [Finding]) {
        self.findings = findings
    }

    /// The code of the first finding.
    public var code: String { findings.first?.code ?? "configuration.invalid-value" }

    /// One line for each finding, as ``description(ofFile:)`` writes them.
    public var description: String { description(ofFile: "") }

    /// One line for each finding, each with the file, line and column. The first line is what ``code`` is about; whoever
    /// shows it adds that code. Every other line ends with a code of its own.
    public func description(ofFile path: String) -> String {
        findings.enumerated().map { index, finding in
            let numbers = [finding.line, finding.column].compactMap { $0.map(String.init) }
            let place = ([path].filter { !$0.isEmpty } + numbers).joined(separator: ":")
            let parts = [place, finding.path, finding.message].filter { !$0.isEmpty }
            let line = parts.joined(separator: ": ") + (finding.hint.map { ", \($0)" } ?? "")
            return index == 0 ? line : "\(line) (\(finding.code))"
        }.joined(separator: "\n")
    }
}
