import JSON
import Support
import Testing

@Suite("retentionctl lint with facts", .timeLimit(.minutes(10)))
struct LintFactsTests {
    /// Rules of the app in ``StoreWorld``.
    private static func rules(_ facts: String, _ condition: String) -> String {
        """
        { "format": 1, "app": { "appAppleId": 531412, "bundleId": "com.example.app" }, "environment": "Sandbox",
          "locales": { "last": "en-US" }, "facts": { \(facts) },
          "messages": { "a": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } } },
          "rules": [ { "id": "r", "when": \(condition), "serve": { "message": "a" } } ] }
        """
    }

    @Test("compares rules with the facts of a store", arguments: StoreKind.allCases)
    func store(kind: StoreKind) throws {
        let world = try StoreWorld()
        let address = try world.filled(kind, count: 40)
        func lint(_ facts: String, _ condition: String) throws -> ProgramRun {
            try world.folder.write(Self.rules(facts, condition), to: "rules.json")
            return try Tool.run([
                "lint", world.folder.path(of: "rules.json"), "--store", address, "--ignore", "untested-rule",
            ])
        }
        let fits = try lint(#""status": "string""#, #"{ "fact": "status", "eq": "gracePeriod" }"#)
        #expect(fits.status == 0 && fits.output.contains("compared with 5 subscribers"), "\(fits.errors)")
        let wrong = try lint(
            #""storefront": "string", "tier": "string", "inTrial": "int""#,
            #"{ "all": [ { "fact": "storefront", "eq": "US" }, { "fact": "tier", "eq": "a" }, { "fact": "inTrial", "eq": 1 } ] }"#
        )
        #expect(wrong.status == 1)
        for part in [
            "lint.value-never-occurs", "did you mean \"USA\"?", "lint.fact-not-in-store",
            "lint.fact-type-differs",
        ] {
            #expect((wrong.output + wrong.errors).contains(part), "\(part): \(wrong.output)\(wrong.errors)")
        }
        // Nobody has these. The first letters of a code with three letters would not tell the second one.
        for (wrong, right) in [("JP", "JPN"), ("at", "AUT"), ("uk", "GBR")] {
            let run = try lint(
                #""storefront": "string""#,
                #"{ "fact": "storefront", "in": ["USA", "\#(wrong)"] }"#
            )
            #expect((run.output + run.errors).contains("did you mean \"\(right)\"?"), "\(run)")
        }
    }

    @Test("compares rules with the facts of the present, whatever --at says about windows")
    func present() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 40)
        let rules = Self.rules(#""storefront": "string""#, #"{ "fact": "storefront", "eq": "USA" }"#)
        try world.folder.write(rules, to: "rules.json")
        // No subscriber had bought anything by the first of these times, and each period is over by the last one.
        for at in ["1990-01-01T00:00:00Z", "2026-11-21T00:00:00Z", "2100-01-01T00:00:00Z"] {
            let run = try Tool.run([
                "lint", world.folder.path(of: "rules.json"), "--store", address, "--at", at, "--ignore",
                "untested-rule",
            ])
            let isQuiet = run.status == 0 && run.output.contains("nothing found, compared with 5 subscribers")
            #expect(isQuiet, "\(at): \(run.output)\(run.errors)")
        }
    }

    @Test(
        "leaves a number that may come as a note, and warns of one that cannot",
        arguments: [
            (#""gte": 99999990"#, 0, "note: lint.number-not-seen"),
            (#""lt": 0"#, 1, "warning: lint.number-out-of-range"),
        ] as [(String, Int32, String)]
    )
    func numbers(comparison: String, status: Int32, message: String) throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 40)
        let rules = Self.rules(#""price": "int""#, #"{ "fact": "price", \#(comparison) }"#)
        try world.folder.write(rules, to: "rules.json")
        let run = try Tool.run([
            "lint", world.folder.path(of: "rules.json"), "--store", address, "--ignore", "untested-rule",
        ])
        #expect(run.status == status, "\(run.output)\(run.errors)")
        #expect((run.output + run.errors).contains(message), "\(run.output)\(run.errors)")
    }

    @Test("knows the letters of a storefront only where a table has as many")
    func ownLetters() throws {
        let folder = try TemporaryDirectory()
        let (rules, table, facts) = (
            folder.path(of: "rules.json"), folder.path(of: "s.csv"), folder.path(of: "app.facts")
        )
        let condition = #"{ "fact": "storefront", "eq": "JP" }"#
        try folder.write(Self.rules(#""storefront": "string""#, condition), to: "rules.json")
        for (value, isKnown) in [("US", false), ("USA", true)] {
            try folder.write("originalTransactionId,storefront\n1,\(value)\n", to: "s.csv")
            let made = try Tool.run(["facts", "compile", table, "--schema", rules, "-o", facts])
            try #require(made.status == 0, "\(made.errors)")
            let run = try Tool.run(["lint", rules, "--facts", facts, "--ignore", "untested-rule"])
            let text = run.output + run.errors
            #expect(text.contains("lint.value-never-occurs"), "\(text)")
            #expect(text.contains("\"JPN\"") == isKnown, "\(text)")
        }
    }

    @Test("compares rules with a facts file, and refuses one of another app")
    func file() throws {
        let folder = try TemporaryDirectory()
        let facts = folder.path(of: "app.facts")
        let table = SourceFile.root + "/examples/facts/subscribers.csv"
        let made = try Tool.run(["facts", "compile", table, "--schema", AnnualUpsell.rules, "-o", facts])
        try #require(made.status == 0, "\(made.errors)")
        let own = try Tool.run(["lint", AnnualUpsell.rules, "--facts", facts, "--at", "2026-11-21T00:00:00Z"])
        #expect(
            own.status == 0 && own.output.contains("nothing found, compared with 4 subscribers"),
            "\(own.errors)")
        try folder.write(
            Self.rules(#""storefront": "string""#, #"{ "fact": "storefront", "eq": "USA" }"#),
            to: "rules.json")
        let other = try Tool.run(["lint", folder.path(of: "rules.json"), "--facts", facts])
        #expect(other.status == 65 && other.errors.contains("facts.other-app"), "\(other.errors)")
        let both = try Tool.run(["lint", AnnualUpsell.rules, "--facts", facts, "--store", "sqlite:/none"])
        #expect(both.status == 64 && both.errors.contains("name one of them"), "\(both.errors)")
    }
}
