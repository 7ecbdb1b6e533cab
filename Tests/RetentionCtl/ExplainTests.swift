import JSON
import Support
import Testing

@Suite("retentionctl explain")
struct ExplainTests {
    private let folder: TemporaryDirectory
    private static let rules = AnnualUpsell.rules
    private static let at = ["--product", "pro_monthly"] + AnnualUpsell.at

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// The arguments whose output is in the golden file of this name. `FACTS` stands for the path of the facts file.
    struct Row: Sendable, CustomStringConvertible {
        let name: String
        let arguments: [String]
        var description: String { name }
    }

    @Test(
        "shows every step with its values, and the answer's exact bytes",
        arguments: [
            Row(name: "row", arguments: ["--subscriber", "2000000002", "--facts", "FACTS"]),
            Row(name: "absent", arguments: ["--subscriber", "2000000009", "--facts", "FACTS"]),
            Row(name: "nothing-known", arguments: ["--subscriber", "2000000002"]),
            Row(
                name: "literal",
                arguments: [
                    "--subscriber", "2000000001", "--locale", "en-GB", "--facts",
                    #"{"paidPeriods": 6, "inTrial": false, "storefront": "GBR", "lastOfferAt": null}"#,
                ]
            ),
            Row(
                name: "changed",
                arguments: [
                    "--subscriber", "2000000002", "--facts", "FACTS", "--fact", "storefront=JPN", "--fact",
                    "offersAccepted=", "--facts-age", "7",
                ]
            ),
            Row(
                name: "held-out",
                arguments: [
                    "--subscriber", "2000000006", "--fact", "paidPeriods=6", "--fact", "inTrial=false",
                    "--fact", "storefront=USA",
                ]
            ),
            Row(
                name: "offer",
                arguments: [
                    "--subscriber", "2000000008", "--fact", "paidPeriods=6", "--fact", "inTrial=false",
                    "--fact", "storefront=GBR", "--fact", "offersAccepted=1", "--fact",
                    "lastOfferAt=2026-07-21T00:00:00Z",
                ]
            ),
        ]
    )
    func golden(row: Row) throws {
        let facts = try AnnualUpsell.facts(in: folder)
        let arguments = Self.at + row.arguments.map { $0 == "FACTS" ? facts : $0 }
        let run = try Tool.run(["explain", Self.rules] + arguments)
        #expect(run.status == 0, "\(run.errors)")
        try GoldenFile.check(run.output, "Tests/RetentionCtl/Golden/explain-\(row.name).txt")
        // The compiled file gives the same output, and JSON has the same answer.
        let path = folder.path(of: "app.rules.json")
        try #require(try Tool.run(["compile", Self.rules, "-o", path]).status == 0)
        #expect(try Tool.run(["explain", path] + arguments).output == run.output)
        let root = try Tool.document(try Tool.run(["explain", path, "--json"] + arguments)).root
        let answer = try #require(root.member("answer"))
        let body = try #require(answer.member("body")?.string)
        #expect(run.output.hasSuffix("answer: \(answer.member("status")?.int64 ?? 0) \(body)\n"))
    }

    @Test("finds a subscriber who gets an arm, and refuses a product that the rules do not declare")
    func findArm() throws {
        let facts = #"{"paidPeriods": 6, "inTrial": false, "storefront": "USA", "offersAccepted": 0}"#
        let common = ["explain", Self.rules, "--facts", facts, "--subscriber", "2000000001"]
        for arm in ["switch", "offer"] {
            let run = try Tool.run(common + Self.at + ["--find-arm", "annual_upsell/\(arm)"])
            #expect(run.status == 0 && run.output.contains("  arm: \(arm)"), "\(run)")
        }
        let none = try Tool.run(common + Self.at + ["--find-arm", "annual_upsell/third"])
        #expect(none.status == 1 && none.errors.contains("none of 10,000 subscribers"))
        let run = try Tool.run(common + ["--product", "pro_anual"])
        #expect(run.status == 65 && run.errors.contains("pro_annual"), "\(run)")
    }

    @Test("prints one JSON document with everything in it")
    func json() throws {
        let run = try Tool.run(
            [
                "explain", Self.rules, "--json", "--subscriber", "2000000002", "--facts",
                try AnnualUpsell.facts(in: folder),
            ] + Self.at
        )
        try GoldenFile.check(run.output, "Tests/RetentionCtl/Golden/explain.json")
    }

    @Test("shows an empty object as the answer when --no-answer-empty is given")
    func emptyObject() throws {
        let arguments = ["explain", Self.rules, "--subscriber", "2000000006", "--no-answer-empty"] + Self.at
        #expect(try Tool.run(arguments).output.hasSuffix("\nanswer: 200 {}\n"))
    }

    @Test("refuses unknown facts, values of another type, and facts of another app")
    func refusals() throws {
        let request = ["explain", Self.rules] + Self.at
        let rows: [([String], String)] = [
            (
                ["--fact", "paidPeriod=1"],
                "--fact: error: facts.unknown-fact: the rules declare no fact \"paidPeriod\" "
                    + "(did you mean \"paidPeriods\"?)\n"
            ),
            (
                ["--fact", "inTrial=yes"],
                "--fact: error: facts.wrong-value: inTrial is boolean: true or false\n"
            ),
            (
                ["--facts", #"{"paidPeriods": 6.5}"#],
                "--facts: error: facts.wrong-value: paidPeriods is integer: a whole number of 64 bits\n"
            ),
            (
                ["--facts", #"{"lastOfferAt": "yesterday"}"#],
                "--facts: error: facts.wrong-value: lastOfferAt is date: a date as 2026-11-21T00:00:00Z\n"
            ),
            (
                ["--fact", "lastOfferAt=2026-02-11T09:30:00+00:00"],
                "--fact: error: facts.wrong-value: lastOfferAt is date: a date as 2026-11-21T00:00:00Z\n"
            ),
            (
                ["--fact", "lastOfferAt=2026-02-11T09:30:00z"],
                "--fact: error: facts.wrong-value: lastOfferAt is date: a date as 2026-11-21T00:00:00Z\n"
            ),
            (["--facts", "{"], "--facts:1:2: error: json.syntax: "),
        ]
        for (arguments, message) in rows {
            let run = try Tool.run(request + arguments)
            #expect(run.status == 65, "\(arguments)")
            #expect(run.errors.hasPrefix(message), "\(run.errors)")
        }
        let sandbox = folder.path(of: "sandbox.facts")
        let compiled = try Tool.run([
            "facts", "build", AnnualUpsell.table + ".csv", "--schema", Self.rules, "-o", sandbox,
            "--environment", "Sandbox",
        ])
        try #require(compiled.status == 0, "\(compiled.errors)")
        let other = try Tool.run(request + ["--facts", sandbox])
        #expect(
            other.status == 65 && other.errors.contains("input.other-app: facts of 6745974591 in Sandbox")
        )
        let segments = SourceFile.root + "/examples/rules/segments.json"
        let unfit = try Tool.run(
            ["explain", segments, "--facts", try AnnualUpsell.facts(in: folder)] + Self.at
        )
        #expect(unfit.status == 65 && unfit.errors.contains("data-file.fact-missing"), "\(unfit.errors)")
        #expect(try Tool.run(request + ["--facts", folder.path(of: "none.facts")]).status == 65)
        #expect(try Tool.run(request + ["--fact", "inTrial"]).status == 64)
        #expect(try Tool.run(request + ["--facts-age", "-1"]).status == 64)
    }
}
