import Authoring
import Facts
import Rules
import System
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

    @Test(
        "of a row ends the reading with an error, whatever is done about bad rows",
        arguments: FactsFormat.allCases)
    func row(format: FactsFormat) throws {
        let (head, before, after) =
            format == .csv
            ? ("originalTransactionId,n,b,d,s,e,other\n", "2,1,,,,,", "")
            : ("", "{\"originalTransactionId\":2,\"x\":\"", "\"}")
        let bad = format == .csv ? "1,x,,,,,\n" : "{\"originalTransactionId\":1,\"n\":\"x\"}\n"
        let line = format == .csv ? 3 : 2
        for (more, lineEnd) in [(0, "\n"), (0, "\r\n"), (1, "\n"), (1, ""), (2, "\r\n"), (1 << 17, "\n")] {
            let length = FactsCompilerLimits.rowByteCount + more - before.utf8.count - after.utf8.count
            let source = head + bad + before + String(repeating: "a", count: length) + after + lineEnd
            let findings = try Compiled.findings(Array(source.utf8), format)
            #expect(findings.contains("\(line):1 facts.row-too-long") == (more > 0), "\(findings)")
            #expect(findings.contains("- facts.more-findings") == (more > 0))
            var skipped = 0
            do {
                _ = try FactsCompiler.read(
                    FactsInput(bytes: Array(source.utf8), blockByteCount: 1 << 16),
                    format: format,
                    schema: Compiled.schema,
                    badRows: .skip(maxPercent: 100) { _ throws(SystemCallError) in skipped += 1 }
                )
                #expect(more == 0 && skipped == 1)
            } catch {
                #expect(more > 0 && error.code == "facts.row-too-long")
            }
        }
    }

    @Test("of a row holds for the header row too")
    func header() throws {
        let long = String(repeating: "a", count: 3 << 20)
        #expect(try Compiled.findings(Array("\(long)\n1,,,,,\n".utf8)) == ["1:1 facts.row-too-long"])
    }
}
