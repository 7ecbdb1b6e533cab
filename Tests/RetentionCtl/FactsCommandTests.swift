import JSON
import Support
import System
import Testing

@Suite("retentionctl's facts commands")
struct FactsCommandTests {
    private let folder: TemporaryDirectory
    private static let table = AnnualUpsell.table
    private static let rules = AnnualUpsell.rules

    init() throws {
        folder = try TemporaryDirectory()
    }

    private var path: String { folder.path(of: "app.facts") }

    /// Compiles a table against the example's rules.
    private func compile(_ source: String, _ options: [String] = [], input: [UInt8] = []) throws -> ProgramRun
    {
        try Tool.run(
            ["facts", "compile", source, "--schema", Self.rules, "-o", path] + options,
            input: input
        )
    }

    @Test("compile the example's CSV and NDJSON tables into the same file")
    func formats() throws {
        let stamp = ["--built", "2026-11-21T00:00:00Z"]
        let run = try compile(Self.table + ".csv", stamp)
        try #require(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("\(path): 4 rows of 5 facts, "))
        let csv = try folder.read("app.facts")
        #expect(try compile(Self.table + ".ndjson", stamp).status == 0)
        #expect(try folder.read("app.facts") == csv)
        let standardInput = try SourceFile.read(Self.table + ".csv")
        #expect(try compile("-", stamp + ["--format", "csv"], input: standardInput).status == 0)
        #expect(try folder.read("app.facts") == csv)
    }

    @Test("compile the table that the manual shows")
    func manual() throws {
        let page = try ManualPage.text("retention-facts.5.md")
        #expect(page.contains(String(decoding: try SourceFile.read(Self.table + ".csv"), as: UTF8.self)))
    }

    @Test("check, get and stats print what is in the file")
    func reading() throws {
        try #require(try compile(Self.table + ".csv").status == 0)
        let rulesPath = folder.path(of: "app.rules")
        try #require(try Tool.run(["compile", Self.rules, "-o", rulesPath]).status == 0)
        let check = try Tool.run(["facts", "check", path, "--rules", rulesPath, "--json"])
        #expect(check.status == 0, "\(check.errors)")
        #expect(try Tool.document(check).root.member("rows")?.int64 == 4)
        let get = try Tool.run(["facts", "get", path, "2000000002", "2000000004"])
        #expect(get.status == 0)
        #expect(
            get.output == """
                2000000002:
                  paidPeriods: 14
                  inTrial: false
                  storefront: "DEU"
                  lastOfferAt: 2026-02-11T09:30:00Z
                  offersAccepted: 1
                2000000004:
                  paidPeriods: 3
                  inTrial: false
                  storefront: -
                  lastOfferAt: -
                  offersAccepted: -

                """
        )
        let absent = try Tool.run(["facts", "get", path, "2000000001", "7", "x", "--json"])
        #expect(absent.status == 1)
        let found = try Tool.document(absent).root.elements.map { $0.member("found")?.boolean }
        #expect(found == [true, false, false])
        // The absent key comes first, in the middle and last. In each place it decides the status.
        for ids in [["7", "2000000001"], ["2000000001", "7", "2000000001"], ["2000000001", "7"]] {
            for form in [[], ["--json"]] {
                let run = try Tool.run(["facts", "get", path] + ids + form)
                #expect(run.status == 1, "\(ids)")
                guard form.isEmpty else { continue }
                let lines = run.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
                #expect(lines == ids.map { $0 == "7" ? "7: not found" : "\($0):" })
            }
        }
        let stats = try Tool.run(["facts", "stats", path])
        #expect(
            stats.output.contains(
                "  storefront string: 3 values, 1 missing; 3 different; DEU 1, JPN 1, USA 1"
            )
        )
        #expect(stats.output.contains("  paidPeriods integer: 4 values, 0 missing; from 0 to 14"))
        #expect(stats.output.contains("inTrial boolean: 4 values, 0 missing; false 3, true 1"))
    }

    @Test("stats counts texts by their bytes, the most frequent first, equal ones in the file's order")
    func frequent() throws {
        try folder.write(
            #"{"app": {"appAppleId": 1}, "environment": "Sandbox", "facts": {"s": "string"}}"#,
            to: "s.json"
        )
        let texts = ["b", "a", "caf\u{E9}", "cafe\u{301}", "b", "c", "c", "c"]
        let rows = texts.enumerated().map { "\($0.offset + 1),\($0.element)\n" }.joined()
        try folder.write("originalTransactionId,s\n" + rows, to: "s.csv")
        let run = try Tool.run([
            "facts", "compile", folder.path(of: "s.csv"), "--schema", folder.path(of: "s.json"), "-o", path,
        ])
        try #require(run.status == 0, "\(run.errors)")
        let stats = try Tool.run(["facts", "stats", path, "--top", "4"])
        #expect(stats.output.contains("; 5 different; c 3, b 2, a 1, cafe\u{301} 1\n"), "\(stats.output)")
    }

    @Test("check and dump read facts files too, and a dump compiles into the same file")
    func dump() throws {
        let stamp = ["--built", "2026-11-21T00:00:00Z"]
        try #require(try compile(Self.table + ".csv", stamp).status == 0)
        let check = try Tool.run(["check", path])
        #expect(
            check.status == 0 && check.output.hasPrefix("\(path): 4 rows of 5 facts, "),
            "\(check.errors)"
        )
        #expect(check.output == (try Tool.run(["facts", "check", path, "--rules", Self.rules]).output))
        let before = try folder.read("app.facts")
        let dump = try Tool.run(["dump", path])
        let loyal =
            #"{"originalTransactionId":"2000000002","paidPeriods":14,"inTrial":false,"storefront":"DEU","#
        #expect(
            dump.output.contains(loyal + #""lastOfferAt":"2026-02-11T09:30:00Z","offersAccepted":1}"# + "\n")
        )
        let again = try compile("-", stamp + ["--format", "ndjson"], input: Array(dump.output.utf8))
        #expect(again.status == 0, "\(again.errors)")
        #expect(try folder.read("app.facts") == before)
        var bytes = before
        bytes[40] ^= 1
        try folder.write(bytes, to: "damaged.facts")
        for command in ["check", "dump"] {
            let run = try Tool.run([command, folder.path(of: "damaged.facts")])
            #expect(run.status == 65 && run.errors.contains("data-file.bad-digest"), "\(run.errors)")
        }
        let ahead = try compile(Self.table + ".csv", ["--built", "2200-01-01T00:00:00Z"])
        try #require(ahead.status == 0)
        #expect(try Tool.run(["check", path]).errors.contains("built-in-future"))
        #expect(try Tool.run(["check", folder.path(of: "none")]).status == 66)
    }

    @Test(
        "write rules with the permissions that the umask leaves, and facts, which hold identifiers, for the user alone",
        arguments: ["000", "002", "077"]
    )
    func permissions(mask: String) throws {
        let tool = try ProgramRun.product("retentionctl")
        let rulesPath = folder.path(of: "app.rules")
        for words in [
            ["facts", "compile", Self.table + ".csv", "--schema", Self.rules, "-o", path],
            ["compile", Self.rules, "-o", rulesPath],
        ] {
            let run = try ProgramRun.run(
                "/bin/sh",
                ["-c", "umask \(mask); exec \"$0\" \"$@\"", tool] + words
            )
            #expect(run.status == 0, "\(run.errors)")
            let usual = 0o666 & ~(try #require(UInt32(mask, radix: 8)))
            let expected = words[0] == "facts" ? 0o600 : usual
            #expect(try FileStatus(path: words.last ?? "").permissions == expected)
        }
    }

    @Test("refuse damaged files, files that do not fit the rules, wrong usage and missing input")
    func refusals() throws {
        try #require(try compile(Self.table + ".csv").status == 0)
        var bytes = try folder.read("app.facts")
        bytes[bytes.count - 20] ^= 1
        try folder.write(bytes, to: "damaged.facts")
        for command in ["check", "stats"] {
            let run = try Tool.run(["facts", command, folder.path(of: "damaged.facts")])
            #expect(run.status == 65)
            #expect(run.errors.contains("data-file.bad-section-checksum"), "\(run.errors)")
        }
        let rulesPath = folder.path(of: "app.rules")
        let other = SourceFile.root + "/examples/rules/segments.json"
        try #require(try Tool.run(["compile", other, "-o", rulesPath]).status == 0)
        let unfit = try Tool.run(["facts", "check", path, "--rules", rulesPath])
        #expect(
            unfit.status == 65 && unfit.errors.contains("data-file.fact-missing: fact-missing \"paidMonths\"")
        )
        #expect(try compile(folder.path(of: "nowhere.csv")).status == 66)
        #expect(try compile(folder.path(of: "table.txt")).status == 64)
        #expect(try Tool.run(["facts", "compile", "a.csv", "-o", "a.rules"]).status == 64)
        try folder.write(#"{"facts": {"a": "int"}}"#, to: "schema.json")
        let nobody = try Tool.run([
            "facts", "compile", Self.table + ".csv", "--schema", folder.path(of: "schema.json"), "-o", path,
        ])
        #expect(nobody.status == 65 && nobody.errors.contains("facts.no-app"))
    }
}
