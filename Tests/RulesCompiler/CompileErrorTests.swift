import Authoring
import FuzzBodies
import JSON
import Rules
import Support
import System
import Testing

/// A text with the mark `¦`, which is no part of it.
enum Mark {
    /// The line and column of the mark in `marked`, a range of `text`.
    static func place(of marked: String, in text: String) throws -> (line: Int, column: Int) {
        let parts = marked.split(separator: "¦", maxSplits: 1, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "no mark")
        // When `marked` is only the mark, the text still contains the mark.
        let sought = marked == "¦" ? marked : parts.joined()
        let range = try #require(text.range(of: sought), "\(sought) is not in the text")
        let before = text[..<range.lowerBound] + parts[0]
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.count, lines[lines.count - 1].unicodeScalars.count + 1)
    }
}

@Suite("Errors of the compiler")
struct CompileErrorTests {
    static func findings(_ source: String) -> [Finding] {
        do throws(RulesSourceError) {
            _ = try RulesCompiler.model(of: Array(source.utf8))
            return []
        } catch { return error.findings }
    }

    /// A change that is too long for a file.
    private static let long = [
        // 1,024 control characters take 1 KB as text and 6 KB in JSON.
        TextChange(
            old: GoodSource.request,
            new: GoodSource.request.replacing(
                "\"EUR\"",
                with: "\"EUR\", \"taxCode\": \"\(String(repeating: "\\u0001", count: 1024))\""))
    ]

    @Test(
        "are those of the golden list, one for each change and every reason, and the schema sees what it can")
    func golden() throws {
        var text = ""
        var seen = Set(WholeSourceRow.errors.map(\.code))
        for change in try TextChange.read("Tests/RulesCompiler/mistakes.txt") + Self.long {
            let source = try change.applied(to: GoodSource.text)
            let findings = Self.findings(source)
            #expect(findings.count == 1, "\(findings.map(\.text))")
            seen.formUnion(findings.map(\.code))
            let isJSON = findings.allSatisfy { !$0.code.hasPrefix("json.") }
            let isSeen = try isJSON && !SchemaAgreementTests.errors(Array(source.utf8)).isEmpty
            text += change.text(
                findings.map { DisplayText.escaped($0.text) } + (isSeen ? ["refused by the schema"] : []))
            fuzzRulesSource(source.utf8Span.span)
        }
        try GoldenFile.check(text, "Tests/RulesCompiler/Golden/mistakes.txt")
        // Rules with a catalogue have their own suite. The tools read what a source includes, so only the loader reports that.
        for reason in RulesReason.allCases where ![.otherApp, .includesFiles].contains(reason) {
            #expect(seen.contains("rules.\(reason.rawValue)"), "\(reason)")
        }
        // These two concern the text as a whole and have no place.
        let list = try SourceFile.read(SourceFile.root + "/Tests/SourceTree/Golden/codes.txt")
        for line in String(decoding: list, as: UTF8.self).split(separator: "\n") where line.hasSuffix(" JSON")
        {
            let code = String(line.dropLast(5))
            #expect(
                seen.contains(code) || ["json.too-large", "json.out-of-memory"].contains(code), "\(code)")
        }
    }

    @Test("name the place of a mistake in a source as a whole", arguments: WholeSourceRow.errors)
    func wholeSources(row: WholeSourceRow) throws {
        let error = #expect(throws: RulesSourceError.self) { try RulesCompiler.model(of: row.bytes) }
        try row.check(error?.findings ?? [])
    }

    @Test("say that a source is too large before it is read")
    func large() {
        let large = [UInt8](repeating: UInt8(ascii: " "), count: RulesSourceLimits.sourceByteCount + 1)
        let error = #expect(throws: RulesSourceError.self) { try RulesCompiler.model(of: large) }
        #expect(error?.findings.map(\.code) == ["json.too-large"])
    }

    @Test("are all found in one run, in the order of the source")
    func several() {
        let source = """
            { "format": 2, "app": { "appAppleId": "1", "bundleId": "" }, "environment": "production",
              "rules": [ { "id": "a", "serve": "nothing" }, { "id": "a", "when": {}, "serve": "none" } ],
              "tests": [ 1 ] }
            """
        #expect(
            Self.findings(source).map(\.text) == [
                "1:13: error: rules.bad-value: format 2 is not known (this version compiles 1)",
                "1:39: error: rules.wrong-type: expected a whole number, found a string",
                "1:56: error: rules.bad-value: an empty string",
                "1:77: error: rules.bad-value: \"production\" is not an environment that the service can serve"
                    + " (did you mean \"Production\"?)",
                "2:36: error: rules.wrong-type: expected \"none\" or an object ({ \"message\": NAME })",
                "2:57: error: rules.duplicate: the id \"a\" stands twice (first in rules[0])",
                "2:70: error: rules.missing-key: \"fact\", \"segment\", \"all\", \"any\" or \"not\" is missing",
                "3:14: error: rules.wrong-type: expected an object, found a whole number",
            ]
        )
    }

    /// Parts of a source, and the codes of all findings in them.
    static let hiddenRows: [(String, [String])] = [
        // The weight of a wrong arm counts in the sum.
        (
            rule(
                #""variants": { "salt": "s", "arms": [ { "name": "a", "weight": 9, "serve": { "message": "no" } },"#
                    + #"{ "name": "b c", "weight": 1, "serve": "none" }, { "name": "d", "weight": 1, "serve": "none" },"#
                    + #"{ "name": "d", "weight": 1, "serve": "none" } ] }"#
            ), ["bad-value", "unknown-name", "bad-value", "duplicate"]
        ),
        (
            rule(#""variants": { "salt": "s", "arms": [ { "name": "a", "weight": 0, "serve": "none" } ] }"#),
            ["bad-value"]
        ),
        // Keys of one object that exclude each other.
        (
            rule(
                #""serve": { "message": "no", "switch": "nope", "zzz": 1 }, "when": { "zzz": 1,"#
                    + #""all": [ { "fact": "no", "eq": 1 } ], "any": [ { "fact": "n", "eq": "x" } ] }"#
            ),
            ["ambiguous", "ambiguous"]
        ),
        (
            rule(#""serve": "none", "when": { "fact": "n", "eq": "x", "gt": "y", "prefix": "z" }"#),
            ["ambiguous"]
        ),
        (
            rule(#""serve": "none", "when": { "fact": "userLocale", "not": "de-DE" }"#),
            ["ambiguous"]
        ),
        // A wrong value in a list does not hide that the other product is of the wrong group.
        (
            #""products": { "x": { "group": "g" }, "y": { "group": "h" } }, "#
                + rule(
                    #""when": { "fact": "productId", "in": [ "x", 5 ] }, "#
                        + #""serve": { "switch": "s", "productId": "y" }"#
                ), ["wrong-type", "wrong-kind"]
        ),
        (
            rule(#""serve": "none""#)
                + #", "tests": [ { "name": "t", "given": [], "expect": { "default": false, "serve": "all","#
                + #""message": "no", "reason": "NO" } } ]"#,
            ["wrong-type", "bad-value", "bad-value", "unknown-name", "bad-value"]
        ),
        // When a wrong type hides all declarations, names that are missing for this reason are not reported too.
        (
            #""facts": [ "n" ], "segments": 7, "rules": { "r": {} }, "caps": { "offer": { "maxAccepted": 1 } }, "#
                + #""default": { "serve": "none" }, "tests": [ { "name": "t", "expect": { "rule": "r" }, "given": {"#
                + #""productId": "p", "userLocale": "en-US", "originalTransactionId": "1","#
                + #""now": "2026-11-21T00:00:00Z", "facts": { "n": 1 } } } ]"#,
            ["wrong-type", "wrong-type", "wrong-type"]
        ),
        // Declarations beyond the limit still count as declared.
        (
            #""facts": { "# + (0..<65).map { "\"f\($0)\": \"int\"" }.joined(separator: ",") + " }, "
                + rule(#""serve": "none", "when": { "fact": "f64", "eq": 1 }"#), ["too-many"]
        ),
        (
            #""segments": { "#
                + (0..<2_000).map { "\"s\($0)\": { \"segment\": \"s\($0 + 1)\" }" }.joined(separator: ",")
                + #", "s2000": { "fact": "n", "eq": 1 } }, "#
                + rule(#""serve": "none", "when": { "segment": "s9" }"#), ["too-many"]
        ),
    ]

    private static func rule(_ members: String) -> String {
        "\"rules\": [ { \"id\": \"r\", \(members) } ]"
    }

    @Test("neither hide nor cause other errors", arguments: hiddenRows.indices)
    func hidden(row: Int) {
        let (text, codes) = Self.hiddenRows[row]
        let facts = text.contains("\"facts\"") ? "" : "\"facts\": { \"n\": \"int\" }, "
        let message =
            "{ \"kind\": \"switch\", \"ids\": { \"en-US\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\" } }"
        let source = GoodSource.head + facts + "\"messages\": { \"s\": \(message) }, " + text + " }"
        #expect(Self.findings(source).map { String($0.code.dropFirst("rules.".count)) } == codes)
    }

    @Test("distinguish texts that look the same but have different bytes")
    func bytes() {
        func code(_ facts: String, _ value: String) -> [String] {
            let when = "{ \"fact\": \"x\", \"eq\": \"\(value)\" }"
            let rules = "\"rules\": [ { \"id\": \"r\", \"when\": \(when), \"serve\": \"none\" } ]"
            return Self.findings(GoodSource.head + "\"facts\": { \"x\": \"\(facts)\" }, \(rules) }").map(
                \.code
            )
        }
        #expect(code("enum(\u{E9}, e\u{301})", "\u{E9}") == [])
        #expect(code("enum(\u{E9})", "e\u{301}") == ["rules.bad-value"])
        let given =
            #""given": { "productId": "p", "userLocale": "en-US", "originalTransactionId": "1","#
            + #" "now": "2026-11-21T00:00:00Z" }, "expect": { "serve": "none" } }"#
        let tests = "{ \"name\": \"\u{E9}\", \(given), { \"name\": \"e\u{301}\", \(given)"
        let message =
            "{ \"kind\": \"switch\", \"ids\": { \"en-US\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\" } }"
        let products = "\"\u{E9}\": { \"group\": \"g\" }, \"e\u{301}\": { \"group\": \"h\" }"
        let rule =
            "{ \"id\": \"r\", \"when\": { \"fact\": \"productId\", \"eq\": \"\u{E9}\" },"
            + "\"serve\": { \"switch\": \"s\", \"productId\": \"e\u{301}\" } }"
        let source =
            GoodSource.head + "\"messages\": { \"s\": \(message) }, \"products\": { \(products) },"
            + "\"rules\": [ \(rule) ], \"tests\": [ \(tests) ] }"
        #expect(Self.findings(source).map(\.code) == ["rules.wrong-kind"])
    }

    @Test("occur when a number or a length exceeds its limit")
    func limits() {
        func code(_ rest: String) -> [String] { Self.findings(GoodSource.head + rest + " }").map(\.code) }
        let serve = "\"default\": { \"serve\": \"none\" }"
        #expect(code("\"rules\": []") == ["rules.empty"])
        #expect(code("\"messages\": {}") == ["rules.empty"])
        #expect(code(serve) == [])
        let long = String(repeating: "x", count: 1025)
        #expect(code("\"metadata\": { \"a\": \"\(long)\" }, \(serve)") == ["rules.bad-value"])
        #expect(code("\"metadata\": { \"\": \"\" }, \(serve)") == ["rules.bad-value"])
        func rule(_ when: String) -> String {
            "\"rules\": [ { \"id\": \"r\", \"when\": \(when), \"serve\": \"none\" } ]"
        }
        #expect(code(rule("{ \"fact\": \"productId\", \"eq\": \"\(long)\" }")) == ["rules.bad-value"])
        #expect(code(rule("{ \"fact\": \"productId\", \"prefix\": \"\" }")) == ["rules.bad-value"])
        let list = (0..<10_001).map { "\"p\($0)\"" }.joined(separator: ",")
        #expect(code(rule("{ \"fact\": \"productId\", \"in\": [\(list)] }")) == ["rules.too-many"])
        let leaf = "{ \"fact\": \"productId\", \"eq\": \"a\" }"
        let eight = String(repeating: "{ \"not\": ", count: 8) + leaf + String(repeating: "}", count: 8)
        #expect(code(rule(eight)) == [])
        #expect(code(rule("{ \"not\": \(eight) }")) == ["rules.too-many"])
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(code("\"rules\": \(deep)") == ["json.too-deep"])
    }
}

extension StringProtocol {
    /// Returns the range of the first occurrence of `text`, compared byte by byte.
    func range(of text: String) -> Range<Index>? {
        let (whole, sought) = (Array(utf8), Array(text.utf8))
        let last = whole.count - sought.count
        guard last >= 0 else { return nil }
        let found = (0...last).first { start in whole[start..<start + sought.count] == sought[...] }
        guard let found else { return nil }
        let start = utf8.index(startIndex, offsetBy: found)
        return start..<utf8.index(start, offsetBy: sought.count)
    }
}
