package import System

package struct ConfigurationError: CodedError, Hashable, CustomStringConvertible {
    /// Every problem in the order of the text, at least one. A text that is not JSON within our limits has a single
    /// problem, with JSON's own code.
    package let findings: [Finding]

    package init(_ findings: [Finding]) {
        self.findings = findings
    }

    package var code: String { findings.first?.code ?? "configuration.invalid-value" }

    package var description: String { description(ofFile: "") }

    /// Returns one line for each finding, with the file, line and column. The first line has no code: ``code`` is its
    /// code, and the caller that shows the line adds it. Every other line ends with its own code.
    package func description(ofFile path: String) -> String {
        findings.enumerated().map { index, finding in
            let numbers = [finding.line, finding.column].compactMap { $0.map(String.init) }
            let place = ([path].filter { !$0.isEmpty } + numbers).joined(separator: ":")
            let parts = [place, finding.path, finding.message].filter { !$0.isEmpty }
            let line = parts.joined(separator: ": ") + (finding.hint.map { ", \($0)" } ?? "")
            return index == 0 ? line : "\(line) (\(finding.code))"
        }.joined(separator: "\n")
    }
}
