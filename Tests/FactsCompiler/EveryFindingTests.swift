import System
import Testing

@testable import FactsCompiler

@Suite("Every mistake in a table of facts")
struct EveryFindingTests {
    /// An input with one mistake.
    private enum Source {
        case schema(String)
        /// Rows that follow the usual header.
        case rows(String)
        /// Such rows, of which one percent may be left out.
        case skipping(String)
        case csv(String)
        case lines(String)
        /// Two texts of eight bytes where there is room for ten bytes. The real limit is 4 GiB.
        case texts
    }

    private static func source(of reason: FactsReason) -> Source {
        switch reason {
        case .badSchema: .schema("[]")
        case .unknownType: .schema(#"{"facts": {"a": "float"}}"#)
        case .badName: .schema(#"{"facts": {"now": "date"}}"#)
        case .tooManyFacts:
            .schema("{\"facts\": {\((0...64).map { "\"f\($0)\": \"int\"" }.joined(separator: ","))}}")
        case .noHeader: .csv("")
        case .missingColumn: .csv("n,b,d,s,e\n1,,,,\n")
        case .repeatedColumn: .csv("originalTransactionId,n,n,b,d,s,e\n")
        case .wrongFieldCount: .rows("1,2\n")
        case .badQuote: .rows("1,,,,a\"b,\n")
        case .unterminatedQuote: .rows("1,,,,\"ab,\n")
        case .strayReturn: .rows("1,,,,a\rb,\n")
        case .rowTooLong: .rows("1,,,,\(String(repeating: "a", count: 3 << 20)),\n")
        case .badJSON: .lines("[]\n")
        case .wrongType: .lines("{\"originalTransactionId\": 1, \"n\": \"1\"}\n")
        case .missingKey: .rows(",,,,,\n")
        case .badKey: .rows("01,,,,,\n")
        case .repeatedKey: .rows("1,,,,,\n1,,,,,\n")
        case .badInteger: .rows("1,1.0,,,,\n")
        case .badBoolean: .rows("1,,yes,,,\n")
        case .badDate: .rows("1,,,2026-11-21,,\n")
        case .badUTF8: .csv(Compiled.csvHeader + "1,,,,\u{FF},\n")
        case .containsNUL: .rows("1,,,,a\0,\n")
        case .tooLong: .rows("1,,,,\(String(repeating: "a", count: 1025)),\n")
        case .unknownValue: .rows("1,,,,,bronze\n")
        case .tooMuchText: .texts
        case .tooManyBadRows: .skipping("1,,,,,\n0,,,,,\n")
        case .empty: .rows("")
        case .moreFindings: .rows(String(repeating: "0,,,,,\n", count: 200))
        }
    }

    @Test("is found, with its code", arguments: FactsReason.allCases)
    func finding(reason: FactsReason) throws {
        let code = "facts.\(reason.rawValue)"
        switch Self.source(of: reason) {
        case .schema(let source):
            let error = #expect(throws: FactsCompilerError.self) {
                try FactsSchema(parsing: Array(source.utf8))
            }
            #expect(error?.code == code)
        case .rows(let rows):
            let source = Array((Compiled.csvHeader + rows).utf8)
            #expect(try Compiled.findings(source).contains { $0.hasSuffix(" \(code)") })
        case .skipping(let rows):
            let error = #expect(throws: FactsCompilerError.self) {
                _ = try FactsCompiler.read(
                    FactsInput(bytes: Array((Compiled.csvHeader + rows).utf8)),
                    format: .csv,
                    schema: Compiled.schema,
                    badRows: .skip(maxPercent: 1) { _ throws(SystemCallError) in }
                )
            }
            #expect(error?.code == code)
        case .csv(let source):
            // U+00FF stands for the byte FF, which UTF-8 never has.
            let bytes = source.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            #expect(try Compiled.findings(bytes).contains { $0.hasSuffix(" \(code)") })
        case .lines(let source):
            let findings = try Compiled.findings(Array(source.utf8), .ndjson)
            #expect(findings.contains { $0.hasSuffix(" \(code)") })
        case .texts:
            var rows = FactsRowAssembler(facts: [.init(name: "s", type: .string)], textByteCount: 10)
            try rows.take("12345678".utf8Span.span, column: 0)
            try rows.take("12345678".utf8Span.span, column: 0)
            do throws(FactsRowAssembler.Fault) {
                try rows.take("87654321".utf8Span.span, column: 0)
                Issue.record("the second text was accepted")
            } catch {
                #expect(error.reason == reason)
            }
        }
    }
}
