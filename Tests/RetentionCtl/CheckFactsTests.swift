import JSON
import Support
import Testing

@Suite("retentionctl check with facts")
struct CheckFactsTests {
    /// Rules of the app in ``StoreWorld``.
    private static func rules(_ facts: String, _ condition: String) -> String {
        """
        { "format": 1, "app": { "appAppleId": 531412, "bundleId": "com.example.app" }, "environment": "Sandbox",
          "locales": { "last": "en-US" }, "facts": { \(facts) },
          "messages": { "a": { "kind": "text", "ids": { "en-US": "551ee7c0-c097-418e-9dd5-2a98533a7390" } } },
          "rules": [ { "id": "r", "when": \(condition), "serve": { "message": "a" } } ] }
        """
    }

    /// Checks rules with the facts that they declare, built from a store.
    private static func check(_ world: StoreWorld, _ address: String, _ facts: String, _ condition: String)
        throws
        -> ProgramRun
    {
        let (rules, file) = (world.folder.path(of: "rules.json"), world.folder.path(of: "app.facts"))
        try world.folder.write(Self.rules(facts, condition), to: "rules.json")
        let built = try Tool.run(["facts", "build", "--store", address, "--schema", rules, "-o", file])
        try #require(built.status == 0, "\(built.errors)")
        return try Tool.run(["check", rules, "--facts", file, "--ignore", "untested-rule"])
    }

    @Test("compares rules with the facts of a store")
    func store() throws {
        let world = try StoreWorld()
        let address = try world.filled(.sqlite, count: 40)
        let fits = try Self.check(
            world, address, #""status": "string""#, #"{ "fact": "status", "eq": "gracePeriod" }"#)
        #expect(fits.status == 0 && fits.output.contains("comparedWithSubscribers  5\n"), "\(fits)")
        // Nobody has these. The first letters of a code with three letters would not tell the second one.
        for (wrong, right) in [("US", "USA"), ("JP", "JPN"), ("at", "AUT"), ("uk", "GBR")] {
            let run = try Self.check(
                world, address, #""storefront": "string""#,
                #"{ "fact": "storefront", "in": ["USA", "\#(wrong)"] }"#)
            #expect(run.status == 1 && run.errors.contains("lint.value-never-occurs"), "\(run)")
            #expect(run.errors.contains("did you mean \"\(right)\"?"), "\(run)")
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
        let run = try Self.check(
            world, address, #""price": "int""#, #"{ "fact": "price", \#(comparison) }"#)
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
            let made = try Tool.run(["facts", "build", table, "--schema", rules, "-o", facts])
            try #require(made.status == 0, "\(made.errors)")
            let run = try Tool.run(["check", rules, "--facts", facts, "--ignore", "untested-rule"])
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
        let made = try Tool.run(["facts", "build", table, "--schema", AnnualUpsell.rules, "-o", facts])
        try #require(made.status == 0, "\(made.errors)")
        let own = try Tool.run([
            "check", AnnualUpsell.rules, "--facts", facts, "--at", "2026-11-21T00:00:00Z",
        ])
        #expect(
            own.status == 0 && own.output.contains("comparedWithSubscribers  4\n"),
            "\(own.errors)")
        try folder.write(
            Self.rules(#""storefront": "string""#, #"{ "fact": "storefront", "eq": "USA" }"#),
            to: "rules.json")
        let other = try Tool.run(["check", folder.path(of: "rules.json"), "--facts", facts])
        #expect(other.status == 65 && other.errors.contains("input.other-app"), "\(other.errors)")
        // The pool would refuse these rules together with these facts.
        let segments = SourceFile.root + "/examples/rules/segments.json"
        let unfit = try Tool.run(["check", segments, "--facts", facts])
        #expect(
            unfit.status == 65 && unfit.errors.contains("data-file.fact-missing: fact-missing \"paidMonths\"")
        )
    }
}
