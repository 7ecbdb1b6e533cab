import Authoring
import Facts
import Support
import System
import Testing

@Suite("Lint with facts")
struct FactsLintTests {
    static func facts(
        _ table: FactsTable = FactsLintRow.table, possible: [String: Set<String>] = [:]
    ) throws -> LintFacts {
        LintFacts(try FactsFile(bytes: table.bytes(), check: .full), possibleValues: possible)
    }

    static func findings(_ source: String, _ facts: LintFacts) throws -> [Finding] {
        try Lint.findings(in: Array(source.utf8), now: LintRow.now, facts: facts)
    }

    @Test("finds nothing in rules that fit")
    func clean() throws {
        #expect(try Self.findings(FactsLintRow.clean, Self.facts()).map(\.text) == [])
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
        let text = FactsLintRow.clean.replacing("{ \"fact\": \"inTrial\", \"eq\": true }", with: condition)
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
}
