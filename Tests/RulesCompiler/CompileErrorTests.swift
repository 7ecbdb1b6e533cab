import FuzzBodies
import JSON
import RulesCompiler
import Testing
import Vocabulary
import RulesReading

/// One change to the good source, and the finding that the compiler must report for it.
struct CompileError: Sendable, CustomTestStringConvertible {
    /// The text of the good source that is replaced, at its first occurrence.
    let old: String
    /// The text that replaces `old`. `¦` marks the place that the finding must name and is not part of the source.
    let new: String
    let code: String
    let hint: String?
    /// A piece of the wrong source with the mark in it, when the place is not in `new`.
    private(set) var marked: String?
    /// True when the schema refuses the source too. Nil when `isSeen` decides that by the code.
    private(set) var isSeenBySchema: Bool?

    init(_ old: String, _ new: String, _ code: String, hint: String? = nil) {
        self.old = old
        self.new = new
        self.code = code
        self.hint = hint
    }

    /// Returns the row with the mark in another place.
    func marking(_ marked: String) -> CompileError {
        var row = self
        row.marked = marked
        return row
    }

    /// Returns the row for a mistake that the schema sees, although it does not see all mistakes with this code.
    func seen() -> CompileError {
        var row = self
        row.isSeenBySchema = true
        return row
    }

    /// Returns the row for a mistake that no schema sees, because it lies in a value or in two places.
    func unseen() -> CompileError {
        var row = self
        row.isSeenBySchema = false
        return row
    }

    var testDescription: String { "\(code) \(new.prefix(60))" }

    /// The wrong source, and the line and column of the mark.
    func source(from good: String = GoodSource.text) throws -> (text: String, line: Int, column: Int) {
        let range = try #require(good.range(of: old), "\(old) is not in the good source")
        let changed = String(good[..<range.lowerBound] + new + good[range.upperBound...])
        let text = changed.replacing("¦", with: "")
        let (line, column) = try Self.place(of: marked ?? "¦", in: marked == nil ? changed : text)
        return (text, line, column)
    }

    /// The line and column of the mark in `marked`, a piece of `text`.
    static func place(of marked: String, in text: String) throws -> (line: Int, column: Int) {
        let parts = marked.split(separator: "¦", maxSplits: 1, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "no mark")
        // When `marked` is only the mark, the text still contains the mark.
        let piece = marked == "¦" ? marked : parts.joined()
        let range = try #require(text.range(of: piece), "\(piece) is not in the text")
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

    @Test("name the place, the code and what to do", arguments: CompileErrorRows.all)
    func rows(row: CompileError) throws {
        let (text, line, column) = try row.source()
        let findings = Self.findings(text)
        #expect(findings.count == 1, "\(findings.map(\.text))")
        let finding = try #require(findings.first)
        #expect(finding.code == row.code)
        #expect(finding.line == line, "\(finding.text)")
        #expect(finding.column == column, "\(finding.text)")
        if let hint = row.hint { #expect(finding.hint == hint) }
        fuzzRulesSource(text.utf8Span.span)
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
                "1:13: error: rules.unknown-format: format 2 is not known (this version compiles 1)",
                "1:39: error: rules.wrong-type: expected a whole number, found a string",
                "1:56: error: rules.bad-length: an empty string",
                "1:77: error: rules.unknown-environment: \"production\" is not an environment that the service can serve"
                    + " (did you mean \"Production\"?)",
                "2:36: error: rules.wrong-type: expected \"none\" or an object ({ \"message\": NAME })",
                "2:57: error: rules.duplicate-id: the id \"a\" stands twice (first in rules[0])",
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
            ), ["weight-sum", "unknown-message", "bad-name", "duplicate-name"]
        ),
        (
            rule(#""variants": { "salt": "s", "arms": [ { "name": "a", "weight": 0, "serve": "none" } ] }"#),
            ["bad-number"]
        ),
        // Keys of one object that exclude each other.
        (
            rule(
                #""serve": { "message": "no", "switch": "nope", "zzz": 1 }, "when": { "zzz": 1,"#
                    + #""all": [ { "fact": "no", "eq": 1 } ], "any": [ { "fact": "n", "eq": "x" } ] }"#
            ),
            [
                "ambiguous-outcome", "unknown-message", "unknown-message", "unknown-key",
                "ambiguous-condition",
                "unknown-key", "unknown-fact", "wrong-type",
            ]
        ),
        (
            rule(#""serve": "none", "when": { "fact": "n", "eq": "x", "gt": "y", "prefix": "z" }"#),
            ["ambiguous-condition", "wrong-type", "wrong-type", "wrong-operation"]
        ),
        (
            rule(#""serve": "none", "when": { "fact": "userLocale", "not": "de-DE" }"#),
            ["ambiguous-condition"]
        ),
        // A wrong value in a list does not hide that the other product is of the wrong group.
        (
            #""products": { "x": { "group": "g" }, "y": { "group": "h" } }, "#
                + rule(
                    #""when": { "fact": "productId", "in": [ "x", 5 ] }, "#
                        + #""serve": { "switch": "s", "productId": "y" }"#
                ), ["wrong-type", "wrong-group"]
        ),
        (
            rule(#""serve": "none""#)
                + #", "tests": [ { "name": "t", "given": [], "expect": { "default": false, "serve": "all","#
                + #""message": "no", "reason": "NO" } } ]"#,
            ["wrong-type", "bad-expectation", "bad-expectation", "unknown-message", "unknown-reason"]
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
        #expect(code("enum(\u{E9})", "e\u{301}") == ["rules.unknown-value"])
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
        #expect(Self.findings(source).map(\.code) == ["rules.wrong-group"])
    }

    @Test("occur when a number or a length exceeds its limit")
    func limits() {
        func code(_ rest: String) -> [String] { Self.findings(GoodSource.head + rest + " }").map(\.code) }
        let serve = "\"default\": { \"serve\": \"none\" }"
        #expect(code("\"rules\": []") == ["rules.empty"])
        #expect(code("\"messages\": {}") == ["rules.empty"])
        #expect(code(serve) == [])
        let metadata = (0..<65).map { "\"k\($0)\": \"\"" }.joined(separator: ",")
        #expect(code("\"metadata\": { \(metadata) }, \(serve)") == ["rules.too-many"])
        let long = String(repeating: "x", count: 1025)
        #expect(code("\"metadata\": { \"a\": \"\(long)\" }, \(serve)") == ["rules.bad-length"])
        #expect(code("\"metadata\": { \"\": \"\" }, \(serve)") == ["rules.bad-length"])
        func rule(_ when: String) -> String {
            "\"rules\": [ { \"id\": \"r\", \"when\": \(when), \"serve\": \"none\" } ]"
        }
        #expect(code(rule("{ \"fact\": \"productId\", \"eq\": \"\(long)\" }")) == ["rules.bad-length"])
        #expect(code(rule("{ \"fact\": \"productId\", \"prefix\": \"\" }")) == ["rules.bad-length"])
        let list = (0..<10_001).map { "\"p\($0)\"" }.joined(separator: ",")
        #expect(code(rule("{ \"fact\": \"productId\", \"in\": [\(list)] }")) == ["rules.too-many"])
        let leaf = "{ \"fact\": \"productId\", \"eq\": \"a\" }"
        let group = [String](repeating: leaf, count: 1001).joined(separator: ",")
        #expect(code(rule("{ \"all\": [\(group)] }")) == ["rules.too-many"])
        let eight = String(repeating: "{ \"not\": ", count: 8) + leaf + String(repeating: "}", count: 8)
        #expect(code(rule(eight)) == [])
        #expect(code(rule("{ \"not\": \(eight) }")) == ["rules.too-deep"])
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(code("\"rules\": \(deep)") == ["json.too-deep"])
    }
}

extension StringProtocol {
    /// Returns the range of the first occurrence of `text`, compared byte by byte.
    func range(of text: String) -> Range<Index>? {
        let (whole, piece) = (Array(utf8), Array(text.utf8))
        let last = whole.count - piece.count
        guard last >= 0 else { return nil }
        let found = (0...last).first { start in whole[start..<start + piece.count] == piece[...] }
        guard let found else { return nil }
        let start = utf8.index(startIndex, offsetBy: found)
        return start..<utf8.index(start, offsetBy: piece.count)
    }
}
