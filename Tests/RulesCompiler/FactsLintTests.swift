import DataFiles
import RulesCompiler
import Support
import Testing
import Vocabulary

@Suite("Lint with facts")
struct FactsLintTests {
    private static func facts(
        _ table: FactsTable = FactsLintRow.table, isStoreAlone: Bool = false,
        possible: [String: Set<String>] = [:]
    ) throws -> LintFacts {
        LintFacts(
            try FactsFile(bytes: table.bytes(), check: .full), isStoreAlone: isStoreAlone,
            possibleValues: possible,
            possibleNumbers: ["paidPeriods": 0...Int64.max, "offersAccepted": 0...5],
            units: ["paidPeriods": "periods", "price": "thousandths"],
            storeNames: ["paidPeriods", "storefront"])
    }

    private static func findings(_ source: String, _ facts: LintFacts) throws -> [Finding] {
        try Lint.findings(in: Array(source.utf8), now: LintRow.now, facts: facts)
    }

    @Test("finds nothing in rules that fit")
    func clean() throws {
        #expect(try Self.findings(FactsLintRow.clean, Self.facts()).map(\.text) == [])
    }

    @Test("names the place, the share and a hint", arguments: FactsLintRow.rows)
    func rows(row: FactsLintRow) throws {
        let (text, line, column) = try row.change.source(from: FactsLintRow.clean)
        let own = try Lint.findings(in: Array(text.utf8), now: LintRow.now).map(\.text)
        let findings = try Self.findings(text, Self.facts()).filter { !own.contains($0.text) }
        #expect(findings.map(\.code) == ["lint.\(row.check.rawValue)"], "\(findings.map(\.text))")
        let finding = try #require(findings.first)
        #expect(finding.message.contains(row.message), "\(finding.text)")
        #expect(finding.line == line && finding.column == column, "\(finding.text)")
        if let hint = row.hint { #expect(finding.hint == hint) }
        #expect(finding.severity == row.check.severity)
    }

    @Test(
        "accepts rules that compare with a part of a value, or with a number next to the range",
        arguments: [
            "{ \"fact\": \"paidPeriods\", \"gte\": 15 }", "{ \"fact\": \"paidPeriods\", \"lte\": 0 }",
            "{ \"fact\": \"paidPeriods\", \"in\": [0, 1] }",
            "{ \"fact\": \"storefront\", \"prefix\": \"CH\" }",
            "{ \"fact\": \"userLocale\", \"eq\": \"xx-XX\" }",
        ]
    )
    func accepted(condition: String) throws {
        let change = CompileError("{ \"fact\": \"inTrial\", \"eq\": true }", condition + "¦", "")
        let (text, _, _) = try change.source(from: FactsLintRow.clean)
        let own = try Lint.findings(in: Array(text.utf8), now: LintRow.now).map(\.text)
        #expect(try Self.findings(text, Self.facts()).map(\.text) == own)
    }

    @Test("accepts a value that may come although nobody has it now")
    func possible() throws {
        let source = FactsLintRow.clean.replacing("\"expired\"", with: "\"gracePeriod\"")
        #expect(try Self.findings(source, Self.facts()).map(\.code) == ["lint.value-never-occurs"])
        let facts = try Self.facts(possible: ["status": ["active", "gracePeriod"]])
        #expect(try Self.findings(source, facts).map(\.text) == [])
    }

    @Test("leaves facts that a table may add to facts of the store as notes")
    func store() throws {
        let source = FactsLintRow.clean.replacing(
            "\"price\": \"int\"", with: "\"price\": \"int\", \"storefornt\": \"string\", \"tier\": \"string\""
        )
        let own = try Lint.findings(in: Array(source.utf8), now: LintRow.now).map(\.text)
        let findings = try Self.findings(source, Self.facts(isStoreAlone: true)).filter {
            !own.contains($0.text)
        }
        #expect(findings.map(\.code) == ["lint.fact-not-in-store", "lint.fact-not-in-store"])
        #expect(findings.allSatisfy { $0.severity == .note })
        #expect(findings.first?.hint == "there is \"storefront\"")
        #expect(findings.last?.hint?.contains("--facts") == true)
    }

    @Test("says when there is nothing to compare with")
    func extent() throws {
        let empty = FactsTable(columns: FactsLintRow.table.columns)
        #expect(try Self.findings(FactsLintRow.clean, Self.facts(empty)).map(\.code) == ["lint.facts-empty"])
    }
}
