import DataFiles
import JSON
import RulesCompiler
import Support
import Testing

@Suite("Lint")
struct LintTests {
    private static func findings(_ source: String, now: Int64 = LintRow.now) throws -> [LintFinding] {
        try Lint.findings(in: Array(source.utf8), now: now)
    }

    @Test("finds nothing in what is meant")
    func clean() throws {
        #expect(try Self.findings(LintRow.clean).map(\.text) == [])
    }

    @Test("finds nothing in the examples", arguments: try Example.all())
    func examples(example: Example) throws {
        #expect(try Lint.findings(in: example.source, now: LintRow.now).map(\.text) == [])
    }

    @Test("names the place and the code", arguments: LintRow.rows)
    func rows(row: LintRow) throws {
        let (text, line, column) = try row.change.source(from: LintRow.clean)
        let findings = try Self.findings(text)
        #expect(Set(findings.map(\.check)) == row.others.union([row.check]), "\(findings.map(\.text))")
        let finding = try #require(findings.first { $0.check == row.check })
        #expect(finding.code == "lint.\(row.check.rawValue)")
        #expect(finding.position?.line == line, "\(finding.text)")
        #expect(finding.position?.column == column, "\(finding.text)")
    }

    @Test("has no row too few: every check occurs")
    func coverage() {
        let elsewhere: Set<LintFinding.Check> = [.servesNothing, .moreFindings]
        let seen = elsewhere.union(LintRow.rows.map(\.check))
        for check in LintFinding.Check.allCases { #expect(seen.contains(check), "\(check)") }
    }

    @Test("says when nothing at all is served")
    func nothing() throws {
        let findings = try Self.findings(GoodSource.head + "\"default\": { \"serve\": \"none\" } }")
        #expect(
            findings.map(\.text) == [
                "1:1: warning: lint.serves-nothing: no rule and no default serves a message"
            ]
        )
    }

    @Test("ends after a hundred")
    func many() throws {
        let rules = (0..<150).map {
            "{ \"id\": \"r\($0)\", \"when\": { \"fact\": \"language\", \"eq\": \"en\" }, \"serve\": \"none\" }"
        }
        let findings = try Self.findings(GoodSource.head + "\"rules\": [\(rules.joined(separator: ",\n"))] }")
        #expect(findings.count == 101)
        #expect(findings.last?.check == .moreFindings)
        // Untested all of them, unreachable all but the first, and nothing is served.
        #expect(findings.last?.message == "and 200 more")
    }

    @Test("refuses what does not compile")
    func refusal() {
        let error = #expect(throws: RulesCompilerError.self) { try Self.findings("{") }
        #expect(error?.code == "json.syntax")
    }

    @Test("takes a rule for reachable in a locale that the earlier one has no message for")
    func locales() throws {
        func source(_ locale: String, masked: String = "[]", last: String = "") -> String {
            GoodSource.head + """
                "locales": { \(last) },
                "messages": {
                  "a": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" }, "masked": \(masked) },
                  "b": { "kind": "text", "ids": { "\(locale)": "551ee7c0-c097-418e-9dd5-2a98533a7391" } } },
                "rules": [ { "id": "a", "serve": { "message": "a" } }, { "id": "b", "serve": { "message": "b" } } ] }
                """
        }
        func isUnreachable(_ source: String) throws -> Bool {
            try Self.findings(source).contains { $0.check == .unreachableRule }
        }
        #expect(try isUnreachable(source("en-US")))
        #expect(try !isUnreachable(source("de-DE")))
        #expect(try isUnreachable(source("de-DE", last: "\"last\": \"en-US\"")))
        #expect(try isUnreachable(source("de-DE", last: "\"fallback\": { \"de-DE\": \"en-US\" }")))
        #expect(try !isUnreachable(source("en-US", masked: "[\"en-US\"]")))
    }
}

/// A source of `examples/rules`.
struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let source: [UInt8]
    var testDescription: String { name }

    static func all() throws -> [Example] {
        try SourceFile.paths(below: "examples/rules").map {
            Example(name: $0, source: try SourceFile.read(SourceFile.root + "/" + $0))
        }
    }
}
