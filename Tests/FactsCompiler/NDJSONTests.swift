import DataFiles
import FactsCompiler
import JSON
import Support
import System
import Testing

@Suite("A table of JSON lines")
struct NDJSONTests {
    @Test(
        "is read member by member",
        arguments: [
            (
                #"{"originalTransactionId":"7","n":-3,"b":true,"d":"2026-11-21T00:00:00Z","s":"hello","e":"gold"}"#,
                ["-3", "true", "@1795219200000", "\"hello\"", "\"gold\""]
            ),
            (#"{"originalTransactionId":7}"#, ["-", "-", "-", "-", "-"]),
            (
                #"{"originalTransactionId":7,"n":null,"b":null,"d":null,"s":null,"e":null}"#,
                ["-", "-", "-", "-", "-"]
            ),
            (
                #" { "e" : "silver plate" , "n" : 0 , "originalTransactionId" : "7" } "#,
                ["0", "-", "-", "-", "\"silver plate\""]
            ),
            (#"{"s":"","d":"","e":"","originalTransactionId":"7"}"#, ["-", "-", "-", "-", "-"]),
            (
                #"{"s":"a\"\\\/\b\f\n\r\té😀","originalTransactionId":"7"}"#,
                ["-", "-", "-", "\"a\"\\/\u{8}\u{c}\n\r\té😀\"", "-"]
            ),
            (#"{"originalTransactionId":"7","\u006e":5}"#, ["5", "-", "-", "-", "-"]),
            (
                #"{"x":{"n":1,"a":[1,[],{},"]"]},"y":[true,false,null,-1.5e+3],"originalTransactionId":"7","n":4}"#,
                ["4", "-", "-", "-", "-"]
            ),
            (
                #"{"n":-9223372036854775808,"originalTransactionId":"7"}"#,
                ["-9223372036854775808", "-", "-", "-", "-"]
            ),
            (
                "{\"originalTransactionId\":7,\"n\":1}\r\n\n  \n{\"originalTransactionId\":8}",
                ["1", "-", "-", "-", "-"]
            ),
            ("\u{FEFF}{\"originalTransactionId\":7,\"n\":1}\n", ["1", "-", "-", "-", "-"]),
        ] as [(String, [String])]
    )
    func good(source: String, values: [String]) throws {
        for blockByteCount in [1 << 16, 1, 7] {
            let file = try Compiled.file(source, .ndjson, blockByteCount: blockByteCount)
            #expect(Compiled.values(file, 7) == values, "blocks of \(blockByteCount)")
        }
    }

    private static func row(_ members: String) -> String {
        "{\"originalTransactionId\":1}\n\(members)\n{\"originalTransactionId\":3}\n"
    }

    @Test(
        "is refused with line, column and code",
        arguments: [
            ("", ["- facts.empty"]),
            (row("{}"), ["2:1 facts.missing-key"]),
            (row(#"{"originalTransactionId":null}"#), ["2:1 facts.missing-key"]),
            (row(#"{"originalTransactionId":""}"#), ["2:26 facts.missing-key"]),
            (row(#"{"originalTransactionId":"02"}"#), ["2:26 facts.bad-key"]),
            (row(#"{"originalTransactionId":-2}"#), ["2:26 facts.bad-key"]),
            (row(#"{"originalTransactionId":2.0}"#), ["2:26 facts.bad-key"]),
            (row(#"{"originalTransactionId":2e0}"#), ["2:26 facts.bad-key"]),
            (row(#"{"originalTransactionId":true}"#), ["2:26 facts.wrong-type"]),
            (row(#"{"originalTransactionId":[2]}"#), ["2:26 facts.wrong-type"]),
            (row(#"{"originalTransactionId":2,"n":"1"}"#), ["2:32 facts.wrong-type"]),
            (row(#"{"originalTransactionId":2,"n":1.0}"#), ["2:32 facts.bad-integer"]),
            (row(#"{"originalTransactionId":2,"n":1e3}"#), ["2:32 facts.bad-integer"]),
            (row(#"{"originalTransactionId":2,"n":9223372036854775808}"#), ["2:32 facts.bad-integer"]),
            (row(#"{"originalTransactionId":2,"b":"true"}"#), ["2:32 facts.wrong-type"]),
            (row(#"{"originalTransactionId":2,"b":1}"#), ["2:32 facts.wrong-type"]),
            (row(#"{"originalTransactionId":2,"d":1795219200000}"#), ["2:32 facts.wrong-type"]),
            (row(#"{"originalTransactionId":2,"d":"yesterday"}"#), ["2:32 facts.bad-date"]),
            (row(#"{"originalTransactionId":2,"s":1}"#), ["2:32 facts.wrong-type"]),
            (row(#"{"originalTransactionId":2,"s":{"a":1}}"#), ["2:32 facts.wrong-type"]),
            (row(#"{"originalTransactionId":2,"e":"bronze"}"#), ["2:32 facts.unknown-value"]),
            (row(#"{"originalTransactionId":2,"n":""}"#), ["2:32 facts.wrong-type"]),
            (row(#"{"originalTransactionId":2,"n":1,"n":1}"#), ["2:34 facts.repeated-column"]),
            (row(#"["originalTransactionId",2]"#), ["2:1 facts.bad-json"]),
            (row(#"{"originalTransactionId":2} x"#), ["2:29 facts.bad-json"]),
            (row(#"{"originalTransactionId":2,}"#), ["2:28 facts.bad-json"]),
            (row(#"{"originalTransactionId":2"#), ["2:27 facts.bad-json"]),
            (row(#"{"originalTransactionId":02}"#), ["2:26 facts.bad-json"]),
            (row(#"{'originalTransactionId':2}"#), ["2:2 facts.bad-json"]),
            (row(#"{"originalTransactionId":2,"s":"\x"}"#), ["2:33 facts.bad-json"]),
            (row(#"{"originalTransactionId":2,"s":"\ud800"}"#), ["2:33 facts.bad-json"]),
            (row(#"{"originalTransactionId":2,"s":"\u0000"}"#), ["2:33 facts.bad-json"]),
            (row("{\"originalTransactionId\":2,\"s\":\"a\tb\"}"), ["2:34 facts.bad-json"]),
            (row(#"{"originalTransactionId":2,"s":"a}"#), ["2:32 facts.bad-json"]),
            (row(#"{"originalTransactionId":3}"#), ["3:1 facts.repeated-key"]),
        ] as [(String, [String])]
    )
    func bad(source: String, findings: [String]) throws {
        for blockByteCount in [1 << 16, 3] {
            #expect(
                try Compiled.findings(Array(source.utf8), .ndjson, blockByteCount: blockByteCount) == findings
            )
        }
    }

    @Test("is accepted only when jansson accepts it too")
    func againstJansson() throws {
        var random = SeededGenerator(for: "JSON rows")
        let good = Array(
            #"{"originalTransactionId":"7","n":-3,"x":[1.5e3,{"a":null}],"s":"aé\n€","b":false}"#.utf8
        )
        let bytes = Array(#"{}[]:,"\0123456789-+.eEuntrfalse "#.utf8) + [0xC3, 0xA9, 0x0D, 0x09]
        var accepted = 0
        for _ in 0..<4000 {
            var row = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<row.count, using: &random)
                if Bool.random(using: &random) {
                    row[index] = bytes.randomElement(using: &random) ?? 0
                } else if Bool.random(using: &random) {
                    row.remove(at: index)
                } else {
                    row.insert(bytes.randomElement(using: &random) ?? 0, at: index)
                }
            }
            guard let findings = try? Compiled.findings(row, .ndjson), findings.isEmpty else { continue }
            accepted += 1
            let limits = JSONLimits(byteCount: 1 << 16, depth: 64)
            do throws(JSONError) {
                _ = try JSONDocument(parsing: row.span, limits: limits)
            } catch {
                // The compiler does not check the names and numbers of members that are not facts.
                let isUnasked = ["json.duplicate-key", "json.number-out-of-range"].contains(error.code)
                #expect(isUnasked, "\(error): \(String(decoding: row, as: UTF8.self))")
            }
        }
        #expect(accepted > 100)
    }
}
