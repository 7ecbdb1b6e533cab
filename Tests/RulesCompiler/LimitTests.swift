import Authoring
import Facts
import Rules
import System
import Testing

/// A source with a given number of elements, the largest number allowed, and the code of the finding for one more.
struct LimitRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let limit: Int
    let code: String
    let source: @Sendable (Int) -> String

    init(
        _ name: String, _ limit: Int, _ code: String = "rules.too-many",
        _ members: @escaping @Sendable (Int) -> [String: String]
    ) {
        testDescription = name
        self.limit = limit
        self.code = code
        source = { count in
            var all = ["default": #"{ "serve": "none" }"#]
            for (name, text) in members(count) { all[name] = text }
            let texts = all.map { "\"\($0.key)\": \($0.value)" }.sorted()
            return GoodSource.head + texts.joined(separator: ",\n") + " }"
        }
    }

    private static func list(_ count: Int, _ open: String, _ close: String, _ element: (Int) -> String)
        -> String
    {
        open + (0..<count).map(element).joined(separator: ",") + close
    }

    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static func rule(_ members: String) -> [String: String] {
        ["rules": #"[ { "id": "r", "serve": "none", \#(members) } ]"#]
    }

    /// Returns a locale that a device could send, a different locale for each number.
    private static func locale(_ number: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        return "\(letters[number % 26])\(letters[number / 26 % 26])\(letters[number / 676 % 26])-US"
    }

    static let all: [LimitRow] = [
        LimitRow("rules", DataFileLimits.ruleCount) { count in
            ["rules": list(count, "[", "]") { #"{ "id": "r\#($0)", "serve": "none" }"# }]
        },
        LimitRow("conditions of all rules", DataFileLimits.conditionCount, "rules.too-many") { count in
            // The segment has 1,000 conditions, and so has each rule that names it.
            let predicate = #"{ "fact": "now", "exists": true }"#
            let segment = list(999, #"{ "all": ["#, "] }") { _ in predicate }
            let rules = list((count + 999) / 1000, "[", "]") { number in
                let condition = (number + 1) * 1000 <= count ? #"{ "segment": "s" }"# : predicate
                return #"{ "id": "r\#(number)", "serve": "none", "when": \#(condition) }"#
            }
            return ["segments": "{ \"s\": \(segment) }", "rules": rules]
        },
        LimitRow("fallbacks one after the other", DataFileLimits.fallbackStepCount) { count in
            let steps = list(count, "{", "}") { "\"\(locale($0))\": \"\(locale($0 + 1))\"" }
            return ["locales": "{ \"fallback\": \(steps) }"]
        },
        LimitRow("facts", DataFileLimits.factCount) { count in
            ["facts": list(count, "{", "}") { "\"f\($0)\": \"int\"" }]
        },
        LimitRow("segments", DataFileLimits.segmentCount) { count in
            ["segments": list(count, "{", "}") { #""s\#($0)": { "fact": "now", "exists": true }"# }]
        },
        LimitRow("values of a list", RulesSourceLimits.listCount) { count in
            rule(list(count, #""when": { "fact": "productId", "in": ["#, "] }") { "\"p\($0)\"" })
        },
        LimitRow("nested groups", DataFileLimits.conditionDepth, "rules.too-many") { count in
            let open = String(repeating: #"{ "not": "#, count: count)
            let close = String(repeating: " }", count: count)
            return rule("\"when\": \(open){ \"fact\": \"now\", \"exists\": true }\(close)")
        },
        LimitRow("weights of all arms", 10_000, "rules.bad-value") { sum in
            let arms =
                #"{ "name": "a", "weight": 9999, "serve": "none" }, { "name": "b", "weight": \#(sum - 9999), "serve": "none" }"#
            return ["rules": #"[ { "id": "r", "variants": { "salt": "s", "arms": [\#(arms)] } } ]"#]
        },
        LimitRow("basis points", 10_000, "rules.bad-value") { points in
            rule(#""rollout": { "salt": "s", "basisPoints": \#(points) }"#)
        },
        LimitRow("days", Int(DataFileLimits.dayCount), "rules.bad-value") { days in
            var members = rule(#""when": { "fact": "now", "olderThanDays": \#(days) }"#)
            members["facts"] = "{}"
            return members
        },
        LimitRow("bytes of a name", RulesSourceLimits.nameByteCount, "rules.bad-value") { count in
            ["rules": #"[ { "id": "\#(letters(count))", "serve": "none" } ]"#]
        },
        LimitRow("bytes of a text", RulesSourceLimits.stringByteCount, "rules.bad-value") { count in
            rule(#""when": { "fact": "productId", "eq": "\#(letters(count))" }"#)
        },
        LimitRow("bytes of metadata", RulesSourceLimits.stringByteCount, "rules.bad-value") { count in
            ["metadata": #"{ "k": "\#(letters(count))" }"#]
        },
        LimitRow("bytes of a product", RulesSourceLimits.stringByteCount, "rules.bad-value") { count in
            ["products": #"{ "\#(letters(count))": {} }"#]
        },
        LimitRow("bytes of a salt", RulesSourceLimits.stringByteCount, "rules.bad-value") { count in
            rule(#""rollout": { "salt": "\#(letters(count))", "basisPoints": 1 }"#)
        },
    ]
}

@Suite("The limits of a source")
struct LimitTests {
    @Test(
        "are exact: a source at the limit is accepted, and one element more refused", arguments: LimitRow.all)
    func limits(row: LimitRow) throws {
        _ = try RulesCompiler.resolve(Array(row.source(row.limit).utf8))
        let findings = CompileErrorTests.findings(row.source(row.limit + 1))
        #expect(findings.map(\.code) == [row.code], "\(findings.map(\.text).prefix(3))")
    }

    @Test("bound the work for segments that name each other many times")
    func segments() {
        // Every segment leaves out a different number of products, and names the segments before it 900 times.
        let products = (0..<2000).map { "\"p\($0)\"" }
        var segments: [String] = []
        for place in 0..<18 {
            let list =
                #"{ "fact": "productId", "in": [\#(products.dropFirst(place).joined(separator: ","))] }"#
            let others = (0..<(place == 0 ? 0 : 900)).map { #"{ "segment": "s\#($0 % place)" }"# }
            segments.append(#""s\#(place)": { "any": [\#(([list] + others).joined(separator: ","))] }"#)
        }
        let members =
            #""segments": { \#(segments.joined(separator: ",\n")) }, "#
            + #""rules": [ { "id": "r", "when": { "segment": "s17" }, "serve": "none" } ]"#
        let findings = CompileErrorTests.findings(GoodSource.head + members + " }")
        #expect(findings.count == 1 && findings.first?.code == "rules.too-many")
        #expect(findings.first?.path == "rules[0]")
    }
}
