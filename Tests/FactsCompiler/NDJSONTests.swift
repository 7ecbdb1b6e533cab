import Authoring
import Facts
import JSON
import Support
import System
import Testing

@Suite("A table of JSON lines")
struct NDJSONTests {
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
