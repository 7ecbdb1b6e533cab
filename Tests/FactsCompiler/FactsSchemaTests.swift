import Authoring
import Rules
import Support
import System
import Testing

@Suite("A schema of facts")
struct FactsSchemaTests {
    @Test("is read from a rules source, with the type of each fact")
    func good() throws {
        let source = """
            { "app": { "appAppleId": 6745974591, "bundleId": "com.example.app" }, "environment": "Sandbox",
              "rules": [], "facts": { "paidPeriods": "int", "inTrial": "bool", "storefront": "string",
              "lastOfferAt": "date", "tier": "enum(gold, silver plate,x)" } }
            """
        let schema = try FactsSchema(parsing: Array(source.utf8))
        #expect(schema.appAppleId == 6_745_974_591 && schema.environment == .sandbox)
        #expect(schema.facts.map(\.name) == ["paidPeriods", "inTrial", "storefront", "lastOfferAt", "tier"])
        #expect(
            schema.facts.map(\.type) == [
                .integer, .boolean, .string, .date, .enumeration(["gold", "silver plate", "x"]),
            ]
        )
        let bare = try FactsSchema(parsing: Array(#"{"facts":{"a":"int"}}"#.utf8))
        #expect(bare.appAppleId == nil && bare.environment == nil && bare.facts.count == 1)
        #expect(try FactsSchema(parsing: [0xEF, 0xBB, 0xBF] + Array(#"{"facts":{"a":"int"}}"#.utf8)) == bare)
    }

    @Test(
        "is refused with line, column and code",
        arguments: [
            ("{", "1:2 facts.bad-schema"), ("[]", "1:1 facts.bad-schema"), ("{}", "1:1 facts.bad-schema"),
            (#"{"facts": []}"#, "1:11 facts.bad-schema"),
            (#"{"facts": {"a": "integer"}}"#, "1:17 facts.bad-schema"),
            (#"{"facts": {"a": 1}}"#, "1:17 facts.bad-schema"),
            (#"{"facts": {"a": "enum()"}}"#, "1:17 facts.bad-schema"),
            (#"{"facts": {"a": "enum(a,a)"}}"#, "1:17 facts.bad-schema"),
            (#"{"facts": {"a": "enum(a,,b)"}}"#, "1:17 facts.bad-schema"),
            (#"{"facts": {"": "int"}}"#, "1:12 facts.bad-schema"),
            (#"{"facts": {"originalTransactionId": "int"}}"#, "1:12 facts.bad-schema"),
            (#"{"facts": {"now": "date"}}"#, "1:12 facts.bad-schema"),
            (#"{"facts": {"a b": "int"}}"#, "1:12 facts.bad-schema"),
            (#"{"facts": {"é": "int"}}"#, "1:12 facts.bad-schema"),
            ("\u{FEFF}" + #"{"facts": {"a": 1}}"#, "1:17 facts.bad-schema"),
            (#"{"environment": "Xcode", "facts": {"a": "int"}}"#, "1:17 facts.bad-schema"),
            (#"{"app": {"appAppleId": 0}, "facts": {"a": "int"}}"#, "1:24 facts.bad-schema"),
            (#"{"environment": "production", "facts": {"a": "int"}}"#, "1:17 facts.bad-schema"),
        ]
    )
    func bad(source: String, expected: String) {
        let error = #expect(throws: FactsCompilerError.self) { try FactsSchema(parsing: Array(source.utf8)) }
        guard case .findings(let findings)? = error, let first = findings.first else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(findings.count == 1)
        #expect("\(first.line ?? 0):\(first.column ?? 0) \(first.code)" == expected)
    }
}
