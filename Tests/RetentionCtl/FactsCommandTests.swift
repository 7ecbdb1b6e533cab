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

    @Test("build the table that the manual shows")
    func manual() throws {
        let page = try ManualPage.text("retention-facts.5.md")
        #expect(page.contains(String(decoding: try SourceFile.read(Self.table + ".csv"), as: UTF8.self)))
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
}

/// The example rules of the annual upsell, and the facts that they use.
enum AnnualUpsell {
    static let rules = SourceFile.root + "/examples/rules/annual-upsell.json"
    /// The table of subscribers, `.csv` or `.ndjson`.
    static let table = SourceFile.root + "/examples/facts/subscribers"
    /// The time of the requests.
    static let at = ["--at", "2026-11-21T00:00:00Z"]

    /// Compiles the table into a facts file that is an hour older than the requests.
    static func facts(in folder: TemporaryDirectory) throws -> String {
        let path = folder.path(of: "app.facts")
        let run = try Tool.run([
            "facts", "build", table + ".csv", "--schema", rules, "-o", path, "--built",
            "2026-11-20T23:00:00Z",
        ])
        try #require(run.status == 0, "\(run.errors)")
        return path
    }
}
