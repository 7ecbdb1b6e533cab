import Support
import Testing

/// Alerts, scripts and dashboards depend on the codes, so no code is renamed and no code gets another meaning.
@Suite("The codes of all errors")
struct CodesTests {
    /// The enums whose raw values are codes, with the prefix of these codes.
    private static let rawValues = [
        "Reason": "data-file.", "ReportReason": "report.", "RulesReason": "rules.", "LintCheck": "lint.",
        "FactsReason": "facts.", "FactsBuildReason": "facts.", "CatalogueReason": "catalogue.",
        "ApprovalReason": "publish.",
        "DefaultsReason": "publish.", "ConfigurationReason": "configuration.", "SQLFault": "", "Refusal": "",
        "AnchorProblem": "", "AnchorError": "", "CryptographyError": "",
    ]

    @Test("are in one list")
    func list() throws {
        var lines: Set<String> = []
        for source in try SwiftSource.all(in: ["Sources"]) {
            guard let place = source.place else { continue }
            for code in Self.codes(in: source) {
                lines.insert("\(code) \(place.target)")
            }
        }
        #expect(lines.count > 100)
        let text = lines.sorted().joined(separator: "\n") + "\n"
        try GoldenFile.check(text, "Tests/SourceTree/Golden/codes.txt")
    }

    /// Returns the literals of every `var code`, of every argument `code:` and of every raw value of the enums above.
    private static func codes(in source: SwiftSource) -> [String] {
        let declarations = ["enum ", "struct ", "extension ", "class "]
        var codes: [String] = []
        var rawValuePrefix: String?
        var blockEnd: String?
        // Comments are skipped, because an example in a comment may show a code.
        for line in source.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
            if declarations.contains(where: { line.contains($0) }),
                let match = line.firstMatch(of: #/\b(?:enum|struct|extension|class) (\w+)/#)
            {
                let name = String(match.output.1)
                rawValuePrefix =
                    name == "Reason" && !source.path.hasSuffix("DataFile.swift") ? nil : rawValues[name]
            }
            if let end = blockEnd {
                if line == end { blockEnd = nil } else { codes += literals(in: line) }
            } else if line.contains("var code: String {"), !line.hasSuffix("get }") {
                if line.hasSuffix("{") {
                    blockEnd = String(line.prefix { $0 == " " }) + "}"
                } else {
                    codes += literals(in: line)
                }
            } else if let prefix = rawValuePrefix, !prefix.isEmpty,
                let match = line.firstMatch(of: #/^ +case (\w+)$/#)
            {
                codes.append(prefix + match.output.1)
            } else if let prefix = rawValuePrefix, line.drop(while: { $0 == " " }).hasPrefix("case "),
                line.contains(" = \"")
            {
                codes += literals(in: line).map { prefix + $0 }
            } else if let range = line.firstRange(of: "code: \"") {
                codes += literals(in: String(line[range.lowerBound...])).prefix(1)
            }
        }
        return codes
    }

    /// Returns the texts between quotes that look like codes.
    private static func literals(in line: String) -> [String] {
        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { index, text in
                index % 2 == 1 && !text.isEmpty
                    && text.utf8.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                            UInt8(ascii: "-"), UInt8(ascii: "."):
                            true
                        default: false
                        }
                    }
            }
            .map { String($0.element) }
    }
}
