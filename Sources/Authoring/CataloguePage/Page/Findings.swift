internal import Vocabulary

extension HTMLWriter {
    /// Adds the section with the findings, grouped by severity.
    mutating func findings(_ findings: [Finding]) {
        open("section", ["id": "findings"])
        block("h2") { $0.text("Findings") }
        if findings.isEmpty {
            block("p") { $0.text("Nothing to report.") }
        } else {
            for severity in [Finding.Severity.error, .warning, .note] {
                let group = findings.filter { $0.severity == severity }
                if !group.isEmpty { self.group(severity, group) }
            }
        }
        close("section", endsLine: true)
    }

    private mutating func group(_ severity: Finding.Severity, _ findings: [Finding]) {
        let styleClass =
            switch severity {
            case .error: "rejected"
            case .warning: "pending"
            case .note: "unknown"
            }
        disclosure(isOpen: findings.count <= 12) {
            $0.element("span", ["class": "badge \(styleClass)"]) {
                $0.text(Words.count(findings.count, severity.rawValue))
            }
        } content: { details in
            details.block("ul", ["class": "rows"]) { list in
                for finding in findings { list.finding(finding) }
            }
        }
    }

    private mutating func finding(_ finding: Finding) {
        block("li") { item in
            item.element("span", ["class": "grow"]) {
                $0.name(finding.message)
                if let hint = finding.hint {
                    $0.text(" (")
                    $0.name(hint)
                    $0.text(")")
                }
            }
            item.element("code", ["class": "soft"]) {
                $0.name(finding.path.isEmpty ? finding.code : finding.path)
            }
        }
    }
}
