@testable import Authoring
import JSON
import Rules
import Support
import System
import Testing

@Suite("Lint")
struct LintTests {
    private static func findings(_ source: String, now: Int64 = LintRow.now) throws -> [Finding] {
        try Lint.findings(in: Array(source.utf8), now: now)
    }

    @Test("finds nothing in a clean source")
    func clean() throws {
        #expect(try Self.findings(LintRow.clean).map(\.text) == [])
    }

    @Test("finds nothing in the examples", arguments: try Example.all())
    func examples(example: Example) throws {
        #expect(try Lint.findings(in: example.source, now: LintRow.now).map(\.text) == [])
    }

    @Test("has the findings of the golden lists, and one for every check")
    func golden() throws {
        var seen = Set(WholeSourceRow.lint.map(\.code))
        var text = ""
        for change in try TextChange.read("Tests/RulesCompiler/lint.txt") {
            let findings = try Self.findings(try change.applied(to: LintRow.clean))
            seen.formUnion(findings.map(\.code))
            text += change.text(findings.map(\.text))
        }
        try GoldenFile.check(text, "Tests/RulesCompiler/Golden/lint.txt")
        text = ""
        for change in try TextChange.read("Tests/RulesCompiler/facts-lint.txt") {
            let source = try change.applied(to: FactsLintRow.clean)
            let own = try Self.findings(source).map(\.text)
            let findings = try FactsLintTests.findings(source, FactsLintTests.facts())
            seen.formUnion(findings.map(\.code))
            text += change.text(findings.map(\.text).filter { !own.contains($0) })
        }
        try GoldenFile.check(text, "Tests/RulesCompiler/Golden/facts-lint.txt")
        for check in LintCheck.allCases {
            #expect(seen.contains("lint.\(check.rawValue)"), "\(check)")
        }
    }

    @Test("leaves out ignored checks before it counts findings", arguments: [0, 120])
    func ignoring(messages: Int) throws {
        let spare = (0..<messages).map {
            "\"m\($0)\": { \"kind\": \"text\", \"ids\": { \"en-US\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\" } },"
        }
        let source =
            GoodSource.head + "\"messages\": { \(spare.joined()) "
            + "\"a\": { \"kind\": \"text\", \"ids\": { \"en-US\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\" } } }, "
            + "\"locales\": { \"last\": \"en-US\" }, \"rules\": [ { \"id\": \"r\", \"serve\": { \"message\": \"a\" } },"
            + "{ \"id\": \"s\", \"serve\": \"none\" } ] }"
        let ignored: Set<LintCheck> = [.unusedMessage, .untestedRule]
        let findings = try Lint.findings(in: Array(source.utf8), now: LintRow.now, ignoring: ignored)
        #expect(findings.compactMap(\.check) == [.unreachableRule])
    }

    @Test("lists warnings before notes when there are too many findings")
    func notes() throws {
        let facts = (0..<64).map { "\"f\($0)\": \"int\"" }.joined(separator: ",")
        let rules = (0..<120).map { "{ \"id\": \"r\($0)\", \"serve\": \"none\" }" }.joined(separator: ",")
        let source = GoodSource.head + "\"facts\": { \(facts) }, \"rules\": [\(rules)] }"
        let ignored: Set<LintCheck> = [.untestedRule]
        let findings = try Lint.findings(in: Array(source.utf8), now: LintRow.now, ignoring: ignored)
        #expect(findings.count { $0.check == .unreachableRule } == 100)
        #expect(findings.last?.message == "and 83 more")
        #expect(findings.last?.line == 2)
    }

    @Test("distinguishes texts that look the same but have different bytes")
    func bytes() throws {
        func rule(_ id: String, _ letter: String, _ operation: String) -> String {
            "{ \"id\": \"\(id)\", \"when\": { \"fact\": \"productId\", \"\(operation)\": \"\(letter)\" },"
                + "\"rollout\": { \"salt\": \"\(letter)\", \"basisPoints\": 10 }, \"serve\": \"none\" }, "
                + "{ \"id\": \"\(id)2\", \"when\": { \"fact\": \"productId\", \"\(operation)\": \"\(letter)\" },"
                + "\"serve\": \"none\" }"
        }
        for operation in ["eq", "prefix"] {
            let rules = rule("a", "\u{E9}", operation) + ", " + rule("b", "e\u{301}", operation)
            let source = GoodSource.head + "\"rules\": [ \(rules) ] }"
            let ignored: Set<LintCheck> = [.untestedRule]
            let findings = try Lint.findings(in: Array(source.utf8), now: LintRow.now, ignoring: ignored)
            #expect(findings.map(\.text) == [])
        }
    }

    /// Members of a source, and the checks that find something in it.
    static let hiddenRows: [(String, [LintCheck])] = [
        (windows(#""in": ["x", "y"]"#, "to", #""in": ["y"]"#), [.overlappingWindows]),
        (windows(#""eq": "y""#, "to", #""in": ["y", "z"]"#), []),
        (windows(#""in": ["x", "y"]"#, "to", #""in": ["z"]"#), []),
        // The second window lies inside the first window.
        (
            windows(#""in": ["x", "y"]"#, "from", #""in": ["y"]"#).replacing(
                #""window": { "from": "2026-12"#,
                with: #""window": { "from": "2026-10"#
            ), [.unreachableRule]
        ),
        // Conditions that no request can fulfil, whoever the subscriber is, and similar conditions that a request can.
        (rule(#"{ "fact": "environment", "eq": "Production" }"#), [.unreachableRule]),
        (rule(#"{ "fact": "environment", "in": ["Production", "Sandbox"] }"#), []),
        (
            rule(#"{ "all": [ { "fact": "productId", "eq": "a" }, { "fact": "productId", "eq": "b" } ] }"#),
            [.unreachableRule]
        ),
        // A rollout to everyone.
        (rollout(10_000, "originalTransactionId"), [.unreachableRule]),
        (rollout(9_999, "originalTransactionId"), []),
        (rollout(10_000, "plan"), []),
        // A locale that waits for approval.
        (unapproved(""), [.pendingLocale]),
        (unapproved(#", "locales": { "last": "en-US" }"#), [.pendingLocale]),
    ]

    private static let nothing = #""default": { "serve": "none" }"#

    private static func rule(_ condition: String) -> String {
        #""rules": [ { "id": "r", "when": \#(condition), "serve": "none" } ]"#
    }

    /// Two rules about products. The window of the first rule has only one end.
    private static func windows(_ first: String, _ end: String, _ second: String) -> String {
        #"""
        "rules": [ { "id": "a", "when": { "fact": "productId", \#(first) },
                     "window": { "\#(end)": "2026-12-01T00:00:00Z" }, "serve": "none" },
                   { "id": "b", "when": { "fact": "productId", \#(second) },
                     "window": { "from": "2026-12-01T00:00:00Z", "to": "2026-12-15T00:00:00Z" },
                     "serve": "none" } ]
        """#.replacing(#"2026-12-01T00:00:00Z", "to""#, with: #"2026-11-25T00:00:00Z", "to""#)
    }

    private static func rollout(_ share: Int, _ unit: String) -> String {
        #"""
        "facts": { "plan": "string" },
        "rules": [ { "id": "a", "serve": "none",
                     "rollout": { "salt": "s", "basisPoints": \#(share), "unit": "\#(unit)" } },
                   { "id": "b", "serve": "none" } ]
        """#
    }

    private static func unapproved(_ locales: String) -> String {
        #"""
        "messages": { "m": { "kind": "text",
                             "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390",
                                      "de-DE": "551ee7c0-c097-418e-9dd5-2a98533a7391" } } },
        "unapproved": { "551ee7c0-c097-418e-9dd5-2a98533a7391": "PENDING" },
        "default": { "serve": { "message": "m" } }\#(locales)
        """#
    }

    @Test("finds mistakes that several parts show together, and no others", arguments: hiddenRows.indices)
    func hidden(row: Int) throws {
        let (text, checks) = Self.hiddenRows[row]
        let ignored: Set<LintCheck> = [.untestedRule, .unusedFact]
        let source = Array((GoodSource.head + text + " }").utf8)
        let findings = try Lint.findings(in: source, now: LintRow.now, ignoring: ignored)
        #expect(findings.compactMap(\.check) == checks, "\(findings.map(\.text))")
    }

    private static func check(_ code: String) -> LintCheck? {
        LintCheck.allCases.first { "lint.\($0.rawValue)" == code }
    }

    @Test(
        "names the place of oddities of the source as a whole, and at the end the number of further findings",
        arguments: WholeSourceRow.lint
    )
    func wholeSources(row: WholeSourceRow) throws {
        let findings = try Lint.findings(in: row.bytes, now: LintRow.now)
        try row.check(findings)
    }

    @Test(
        "accepts a switch whose condition leaves only products of the target's group",
        arguments: LintRow.switchesWithinGroup
    )
    func groups(condition: String) throws {
        let text = LintRow.clean.replacing(LintRow.monthly, with: condition)
        #expect(try Self.findings(text).map(\.text) == [])
    }

    @Test("refuses a source that does not compile")
    func refusal() {
        let error = #expect(throws: RulesSourceError.self) { try Self.findings("{") }
        #expect(error?.code == "json.syntax")
    }

    @Test("treats a rule as reachable in a locale for which the earlier rule has no message")
    func locales() throws {
        func source(_ locale: String, unapproved: String = "", last: String = "") -> String {
            GoodSource.head + """
                "locales": { \(last) },
                "messages": {
                  "a": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } },
                  "b": { "kind": "text", "ids": { "\(locale)": "551ee7c0-c097-418e-9dd5-2a98533a7391" } } },
                "unapproved": { \(unapproved) },
                "rules": [ { "id": "a", "serve": { "message": "a" } }, { "id": "b", "serve": { "message": "b" } } ] }
                """
        }
        func isUnreachable(_ source: String) throws -> Bool {
            try Self.findings(source).contains { $0.check == .unreachableRule }
        }
        #expect(try isUnreachable(source("en-US")))
        #expect(try !isUnreachable(source("de-DE")))
        #expect(try isUnreachable(source("de-DE", last: "\"last\": \"en-US\"")))
        #expect(try isUnreachable(source("de-DE", last: "\"fallback\": { \"de-DE\": \"en-US\" }")))
        #expect(
            try !isUnreachable(
                source("en-US", unapproved: "\"551ee7c0-c097-418e-9dd5-2a98533a7390\": \"REJECTED\"")))
    }
}

/// A source of `examples/rules`.
struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let source: [UInt8]
    var testDescription: String { name }

    static func all() throws -> [Example] {
        try SourceFile.paths(below: "examples/rules").map {
            Example(name: $0, source: try SourceFile.read(SourceFile.root + "/" + $0))
        }
    }
}
