import Authoring
import Facts
import Testing

@Suite("The limits of a table of facts")
struct FactsLimitTests {
    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static func isTaken(schema: String) -> Bool {
        (try? FactsSchema(parsing: Array(schema.utf8))) != nil
    }

    @Test("hold for the schema: the number of facts, and the length of names")
    func schema() {
        for (count, isGood) in [(DataFileLimits.factCount, true), (DataFileLimits.factCount + 1, false)] {
            let facts = (0..<count).map { "\"f\($0)\": \"int\"" }.joined(separator: ",")
            #expect(Self.isTaken(schema: "{\"facts\": {\(facts)}}") == isGood)
        }
        let limit = FactsCompilerLimits.nameByteCount
        #expect(Self.isTaken(schema: "{\"facts\": {\"\(Self.letters(limit))\": \"int\"}}"))
        #expect(!Self.isTaken(schema: "{\"facts\": {\"\(Self.letters(limit + 1))\": \"int\"}}"))
    }

    @Test("hold for a table: all columns of the widest schema, and texts and keys at their limits")
    func table() throws {
        let facts = (0..<DataFileLimits.factCount).map { FactsSchema.Fact(name: "f\($0)", type: .integer) }
        let header = (["originalTransactionId"] + facts.map(\.name)).joined(separator: ",")
        let row = (["18446744073709551615"] + facts.indices.map { "\($0)" }).joined(separator: ",")
        let file = try Compiled.file("\(header)\n\(row)\n", schema: FactsSchema(facts: facts))
        let last = try #require(file.find(.max))
        #expect(facts.indices.allSatisfy { file.integer(column: $0, row: last) == Int64($0) })
        let limit = FactsCompilerLimits.stringByteCount
        for format in FactsFormat.allCases {
            func source(_ count: Int) -> String {
                format == .csv
                    ? "\(Compiled.csvHeader)7,,,,\(Self.letters(count)),\n"
                    : "{\"originalTransactionId\":7,\"s\":\"\(Self.letters(count))\"}\n"
            }
            #expect(
                try Compiled.values(Compiled.file(source(limit), format), 7)?[3]
                    == "\"\(Self.letters(limit))\""
            )
            let findings = try Compiled.findings(Array(source(limit + 1).utf8), format)
            #expect(findings.map { $0.split(separator: " ").last } == ["facts.bad-value"])
        }
    }

    @Test("of dates are those of the calendar", arguments: 0...99)
    func centuries(century: Int) throws {
        for year in [century * 100, century * 100 + 4] {
            let date = "\(String(year + 10_000).dropFirst())-02-29T00:00:00Z"
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let findings = try Compiled.findings(Array("\(Compiled.csvHeader)7,,,\(date),,\n".utf8))
            #expect(findings == (isLeap ? [] : ["2:5 facts.bad-value"]), "\(date)")
        }
    }
}
