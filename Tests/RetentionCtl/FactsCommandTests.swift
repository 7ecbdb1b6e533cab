import Cryptography
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
            ["facts", "build", source, "--schema", Self.rules, "-o", path] + options, input: input)
    }

    @Test("build the example's CSV and NDJSON tables into the same file")
    func formats() throws {
        let stamp = ["--built", "2026-11-21T00:00:00Z"]
        let run = try compile(Self.table + ".csv", stamp)
        try #require(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("\(path)\n") && run.output.contains(#/\n  rows +4\n/#))
        let csv = try folder.read("app.facts")
        #expect(try compile(Self.table + ".ndjson", stamp).status == 0)
        #expect(try folder.read("app.facts") == csv)
        let standardInput = try SourceFile.read(Self.table + ".csv")
        #expect(try compile("-", stamp + ["--format", "csv"], input: standardInput).status == 0)
        #expect(try folder.read("app.facts") == csv)
    }

    @Test("build takes the build time from SOURCE_DATE_EPOCH")
    func sourceDateEpoch() throws {
        func run(_ time: String) throws -> ProgramRun {
            try ProgramRun.run(
                ProgramRun.product("retentionctl"),
                ["facts", "build", Self.table + ".csv", "--schema", Self.rules, "-o", path, "--json"],
                environment: ["SOURCE_DATE_EPOCH=\(time)"])
        }
        let root = try Tool.document(run("1795219200")).root
        #expect(root.member("builtAt")?.string == "2026-11-21T00:00:00Z")
        let bad = try run("yesterday")
        #expect(bad.status == 65 && (bad.output + bad.errors).contains("compile.bad-source-date-epoch"))
    }

    @Test("build the table that the manual shows")
    func manual() throws {
        let page = try ManualPage.text("retention-facts.5.md")
        #expect(page.contains(String(decoding: try SourceFile.read(Self.table + ".csv"), as: UTF8.self)))
    }

    @Test("check and get print what is in the file")
    func reading() throws {
        try #require(try compile(Self.table + ".csv").status == 0)
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
        let check = try Tool.run(["check", path])
        #expect(check.status == 0 && check.errors.isEmpty, "\(check.errors)")
        for row in [
            #/storefront +string +\d+ +3 +1 +- +- +3 +DEU 1, JPN 1, USA 1\n/#,
            #/paidPeriods +integer +\d+ +4 +0 +0 +14 +- +-\n/#,
            #/inTrial +boolean +\d+ +4 +0 +- +- +- +false 3, true 1\n/#,
        ] { #expect(check.output.contains(row), "\(check.output)") }
        let root = try Tool.document(try Tool.run(["check", path, "--json"])).root
        #expect(root.member("files")?.element(at: 0)?.member("rows")?.int64 == 4)
    }

    @Test("check counts texts by their bytes, the most frequent first, equal ones in the file's order")
    func frequent() throws {
        try folder.write(
            #"{"app": {"appAppleId": 1}, "environment": "Sandbox", "facts": {"s": "string"}}"#,
            to: "s.json"
        )
        let texts = ["b", "a", "caf\u{E9}", "cafe\u{301}", "d", "b", "c", "c", "c"]
        let rows = texts.enumerated().map { "\($0.offset + 1),\($0.element)\n" }.joined()
        try folder.write("originalTransactionId,s\n" + rows, to: "s.csv")
        let run = try Tool.run([
            "facts", "build", folder.path(of: "s.csv"), "--schema", folder.path(of: "s.json"), "-o", path,
        ])
        try #require(run.status == 0, "\(run.errors)")
        let check = try Tool.run(["check", path])
        #expect(
            check.output.contains("  6          c 3, b 2, a 1, cafe\u{301} 1, caf\u{E9} 1\n"),
            "\(check.output)")
    }

    @Test("check reads a facts file to its last byte, as the loader does")
    func damaged() throws {
        try #require(try compile(Self.table + ".csv").status == 0)
        let before = try folder.read("app.facts")
        for (place, code) in [(40, "bad-digest"), (before.count - 20, "bad-section-checksum")] {
            var bytes = before
            bytes[place] ^= 1
            try folder.write(bytes, to: "damaged.facts")
            let run = try Tool.run(["check", folder.path(of: "damaged.facts")])
            #expect(run.status == 65 && run.errors.contains("data-file.\(code)"), "\(run.errors)")
        }
        let ahead = try compile(Self.table + ".csv", ["--built", "2200-01-01T00:00:00Z"])
        try #require(ahead.status == 0)
        #expect(try Tool.run(["check", path]).errors.contains("built-in-future"))
        #expect(try Tool.run(["check", folder.path(of: "none")]).status == 65)
    }

    @Test(
        "write rules with the permissions that the umask leaves, and facts, which hold identifiers, for the user alone",
        arguments: ["000", "002", "077"]
    )
    func permissions(mask: String) throws {
        let tool = try ProgramRun.product("retentionctl")
        let rulesPath = folder.path(of: "app.rules.json")
        for words in [
            ["facts", "build", Self.table + ".csv", "--schema", Self.rules, "-o", path],
            ["compile", Self.rules, "-o", rulesPath],
        ] {
            let run = try ProgramRun.run(
                "/bin/sh", ["-c", "umask \(mask); exec \"$0\" \"$@\"", tool] + words)
            #expect(run.status == 0, "\(run.errors)")
            let usual = 0o666 & ~(try #require(UInt32(mask, radix: 8)))
            let expected = words[0] == "facts" ? 0o600 : usual
            #expect(try FileStatus(path: words.last ?? "").permissions == expected)
        }
    }

    @Test("refuse wrong usage and missing input")
    func refusals() throws {
        #expect(try compile(folder.path(of: "nowhere.csv")).status == 65)
        #expect(try compile(folder.path(of: "table.txt")).status == 64)
        #expect(try Tool.run(["facts", "build", "a.csv", "-o", "a.rules.json"]).status == 64)
        try folder.write(#"{"facts": {"a": "int"}}"#, to: "schema.json")
        let nobody = try Tool.run([
            "facts", "build", Self.table + ".csv", "--schema", folder.path(of: "schema.json"), "-o", path,
        ])
        #expect(nobody.status == 65 && nobody.errors.contains("facts.no-app"))
    }

    @Test("name every bad row and keep the old file, or leave out bad rows with --skip-bad")
    func badRows() throws {
        try #require(try compile(Self.table + ".csv").status == 0)
        let before = try folder.read("app.facts")
        let header = "originalTransactionId,paidPeriods,inTrial,storefront,offersAccepted,lastOfferAt,zip\n"
        try folder.write(header + "1,x,,,,,\n02,,,,,,\n3,1,true,USA,0,,8000\n", to: "bad.csv")
        let source = folder.path(of: "bad.csv")
        let run = try compile(source)
        #expect(run.status == 65)
        #expect(
            run.errors == """
                \(source):2:3: error: facts.bad-value: paidPeriods: "x" is not a whole number of 64 bits
                \(source):3:1: error: facts.bad-key: originalTransactionId "02" is not a number from 1 to 2^64 - 1 \
                (decimal digits alone, no sign, no zero in front)

                """
        )
        #expect(try folder.read("app.facts") == before)
        let skipping = try compile(source, ["--skip-bad", folder.path(of: "bad.ndjson"), "--max-bad", "70"])
        #expect(skipping.status == 0, "\(skipping.errors)")
        #expect(
            skipping.errors.contains("facts.skipped-rows: 2 bad rows were left out, see ")
                && skipping.errors.contains("bad.csv:3:1: warning: facts.bad-key"),
            "\(skipping.errors)"
        )
        #expect(skipping.errors.contains("facts.ignored-columns: not in the schema: zip"))
        #expect(skipping.errors.contains("facts.always-missing: no row has a value of lastOfferAt"))
        let skipped = String(decoding: try folder.read("bad.ndjson"), as: UTF8.self).split(separator: "\n")
        #expect(skipped.count == 2)
        #expect(
            skipped.last?.contains(#""line":3"#) == true
                && skipped.last?.contains(#""row":"02,,,,,,""#) == true
        )
        try Directory.make(path: folder.path(of: "taken"), permissions: 0o755)
        let taken = try compile(source, ["--skip-bad", folder.path(of: "taken"), "--max-bad", "70"])
        #expect(taken.status == 65)
        #expect(
            taken.errors.hasPrefix(folder.path(of: "taken") + ": error: system.eisdir"), "\(taken.errors)")
        let json = try compile(source, ["--json"])
        #expect(json.status == 65)
        let findings = try Tool.document(json).root.member("diagnostics")
        #expect(findings?.count == 2)
        let hint = "decimal digits alone, no sign, no zero in front"
        #expect(findings?.element(at: 1)?.member("hint")?.string == hint)
        #expect(findings?.element(at: 0)?.member("hint") == nil)
    }

    @Test("write bad rows also when no facts file can be made, for the caller alone to read")
    func skippedRows() throws {
        let header = "originalTransactionId,paidPeriods,inTrial,storefront,offersAccepted,lastOfferAt\n"
        let source = folder.path(of: "bad.csv")
        let skipped = folder.path(of: "bad.ndjson")
        try folder.write(header + "1,x,,,,\n2,y,,,,\n", to: "bad.csv")
        let empty = try compile(source, ["--skip-bad", skipped, "--max-bad", "100"])
        #expect(empty.status == 65 && empty.errors.contains("facts.empty: all 2 rows of the table are bad"))
        #expect(String(decoding: try folder.read("bad.ndjson"), as: UTF8.self).contains("1,x,,,,"))
        #expect(try FileStatus(path: skipped).permissions == 0o600)
        try folder.write(header + "3,x,,,,\n5,1,,,,\n5,2,,,,\n", to: "bad.csv")
        let repeated = try compile(source, ["--skip-bad", skipped, "--max-bad", "100"])
        #expect(repeated.status == 65 && repeated.errors.contains("facts.repeated-key"), "\(repeated.errors)")
        #expect(String(decoding: try folder.read("bad.ndjson"), as: UTF8.self).contains("3,x,,,,"))
        try folder.write(Array((header + "6,1,,").utf8) + [0xFF] + Array(",,\n7,,,,,\n".utf8), to: "bad.csv")
        let run = try compile(source, ["--skip-bad", skipped, "--max-bad", "100"])
        #expect(run.status == 0, "\(run.errors)")
        let row = try folder.read("bad.ndjson")
        let document = try JSONDocument(parsing: row.span, limits: JSONLimits(byteCount: 1 << 16, depth: 4))
        #expect(document.root.member("row")?.string == "6,1,,\u{FFFD},,")
        let bytes = document.root.member("bytes")?.string.flatMap { Base64.decode(Array($0.utf8).span) }
        #expect(bytes == Array("6,1,,".utf8) + [0xFF] + Array(",,".utf8))
    }

    /// Writes a table of the example's columns with this many rows, of which the last `badCount` are bad.
    private func table(rows: Int, badCount: Int) throws -> String {
        let header = "originalTransactionId,paidPeriods,inTrial,storefront,offersAccepted,lastOfferAt\n"
        let lines = (1...rows).map { "\($0),\($0 > rows - badCount ? "x" : "1"),true,USA,0,\n" }
        try folder.write(header + lines.joined(), to: "subscribers.csv")
        return folder.path(of: "subscribers.csv")
    }

    @Test("fail when more than 1 percent of the rows is bad, and keep the old file")
    func tooManyBadRows() throws {
        try #require(try compile(Self.table + ".csv").status == 0)
        let before = try folder.read("app.facts")
        let source = try table(rows: 1000, badCount: 11)
        let skip = ["--skip-bad", folder.path(of: "bad.ndjson")]
        let run = try compile(source, skip)
        #expect(run.status == 65, "\(run.output) \(run.errors)")
        #expect(
            run.errors.hasPrefix(
                """
                \(source): error: facts.too-many-bad-rows: 11 of 1000 rows are bad, more than 1 % (their kinds \
                follow; mend the table, or allow more with --max-bad)
                \(source):991:5: error: facts.bad-value: paidPeriods: "x" is not a whole number of 64 bits; \
                11 rows in all

                """
            ),
            "\(run.errors)"
        )
        #expect(run.errors.split(separator: "\n").count == 2)
        #expect(try folder.read("app.facts") == before)
        #expect(try folder.read("bad.ndjson").count { $0 == UInt8(ascii: "\n") } == 11)
        let allowed = try compile(source, ["--max-bad", "1.1"])
        #expect(allowed.status == 0 && allowed.output.contains(#/ rows +989\n/#), "\(allowed.errors)")
        #expect(allowed.errors.contains("facts.skipped-rows: 11 bad rows were left out"))
        let few = try compile(try table(rows: 1000, badCount: 10), skip)
        #expect(few.status == 0 && few.output.contains(#/ rows +990\n/#), "\(few.errors)")
        #expect(try compile(source, ["--max-bad", "101"]).status == 64)
    }

    @Test("take a table with other names of columns and several rows of a subscriber, when told so")
    func warehouse() throws {
        let rows =
            "Transaction ID;Periods;inTrial;storefront;offersAccepted;lastOfferAt\n7;1;True;USA;;\n7;2.0;f;NULL;1;\n"
        try folder.write(rows, to: "export.csv")
        let source = folder.path(of: "export.csv")
        let names = ["--column", "originalTransactionId=Transaction ID", "--column", "paidPeriods=Periods"]
        let twice = try compile(source, names)
        #expect(
            twice.status == 65 && twice.errors.contains(":3:1: error: facts.repeated-key"), "\(twice.errors)")
        let last = try compile(source, names + ["--duplicates", "last"])
        #expect(last.status == 0 && last.errors.contains("left out 1 row of subscribers"), "\(last.errors)")
        let found = try Tool.run(["facts", "get", path, "7"]).output
        #expect(found.contains("paidPeriods: 2\n  inTrial: false\n  storefront: -\n"), "\(found)")
        #expect(try compile(source, ["--column", "periods=Periods"]).status == 64)
        #expect(try compile(source, names + ["--column", "offersAccepted=Periods"]).status == 64)
    }
}
