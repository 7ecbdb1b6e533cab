import DataFiles
import RulesCompiler
import Support
import Testing
import Vocabulary

@Suite("Lint with facts")
struct FactsLintTests {
    private static func facts(
        _ table: FactsTable = FactsLintRow.table,
        isStoreAlone: Bool = false,
        possible: [String: Set<String>] = [:],
        steps: Int = LintFacts.usualSteps
    ) throws -> LintFacts {
        LintFacts(
            try FactsFile(bytes: table.bytes(), check: .full),
            isStoreAlone: isStoreAlone,
            possibleValues: possible,
            possibleNumbers: ["paidPeriods": 0...Int64.max, "offersAccepted": 0...5],
            remedies: ["lastOfferAt": "ask for it"],
            units: ["paidPeriods": "periods", "price": "thousandths"],
            storeNames: ["paidPeriods", "storefront"],
            stepLimit: steps
        )
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
        "accepts rules that do without a fact, ask whether it is there, or compare with a number next to the range",
        arguments: [
            "{ \"not\": { \"fact\": \"lastOfferAt\", \"exists\": true } }",
            "{ \"all\": [ { \"fact\": \"lastOfferAt\", \"exists\": true }, { \"fact\": \"lastOfferAt\", \"olderThanDays\": 9 } ] }",
            "{ \"any\": [ { \"fact\": \"offersAccepted\", \"eq\": 0 }, { \"fact\": \"lastOfferAt\", \"olderThanDays\": 9 } ] }",
            "{ \"not\": { \"all\": [ { \"fact\": \"offersAccepted\", \"eq\": 1 }, { \"fact\": \"lastOfferAt\", \"youngerThanDays\": 9 } ] } }",
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
            "\"price\": \"int\"",
            with: "\"price\": \"int\", \"storefornt\": \"string\", \"tier\": \"string\""
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

    @Test("says when there is nothing to compare with, and when it took a sample")
    func extent() throws {
        let empty = FactsTable(columns: FactsLintRow.table.columns)
        #expect(try Self.findings(FactsLintRow.clean, Self.facts(empty)).map(\.code) == ["lint.facts-empty"])
        let sampled = try Self.findings(FactsLintRow.clean, Self.facts(steps: 300))
        #expect(sampled.map(\.code) == ["lint.facts-sampled"])
        #expect(sampled.first?.message.contains("of 100") == true)
        let change = CompileError("\"gte\": 1 },\n", "\"gte\": 0 },\n¦", "")
        let (text, _, _) = try change.source(from: FactsLintRow.clean)
        let codes = try Self.findings(text, Self.facts(steps: 300)).map(\.code)
        #expect(Set(codes) == ["lint.facts-sampled", "lint.fact-often-missing"])
    }

    @Test("reports a segment that several rules use once")
    func segment() throws {
        let source = FactsLintRow.clean
            .replacing(
                "{ \"fact\": \"price\", \"gte\": 10000 }",
                with: "{ \"fact\": \"account\", \"prefix\": \"account-\" }"
            )
            .replacing("{ \"fact\": \"paidPeriods\", \"gte\": 6 }", with: "{ \"segment\": \"rich\" }")
        let findings = try Self.findings(source, Self.facts()).filter { $0.code == "lint.fact-often-missing" }
        #expect(findings.map(\.path) == ["segments.rich"], "\(findings.map(\.text))")
    }
}
