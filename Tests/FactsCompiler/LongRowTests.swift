import Authoring
import System
import Testing

@Suite("A row beyond the limit")
struct LongRowTests {
    @Test("ends the reading with an error, whatever is done about bad rows", arguments: FactsFormat.allCases)
    func limit(format: FactsFormat) throws {
        let (head, before, after) =
            format == .csv
            ? ("originalTransactionId,n,b,d,s,e,other\n", "2,1,,,,,", "")
            : ("", "{\"originalTransactionId\":2,\"x\":\"", "\"}")
        let bad = format == .csv ? "1,x,,,,,\n" : "{\"originalTransactionId\":1,\"n\":\"x\"}\n"
        let line = format == .csv ? 3 : 2
        for (more, lineEnd) in [(0, "\n"), (0, "\r\n"), (1, "\n"), (1, ""), (2, "\r\n"), (3 << 20, "\n")] {
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

    @Test("is an error of the header row too")
    func header() throws {
        let long = String(repeating: "a", count: 3 << 20)
        #expect(try Compiled.findings(Array("\(long)\n1,,,,,\n".utf8)) == ["1:1 facts.row-too-long"])
    }
}
