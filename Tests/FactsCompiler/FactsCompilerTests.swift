import Authoring
import Facts
import FuzzBodies
import Rules
import Support
import System
import Testing

@Suite("The facts compiler")
struct FactsCompilerTests {
    @Test("makes the same file from the same table in the two formats")
    func formats() throws {
        var csv = "originalTransactionId,n,b,d,s,e\r\n"
        var json = ""
        var random = SeededGenerator(for: "tables in two formats")
        for key in 1...500 {
            let n = Bool.random(using: &random) ? "\(Int64.random(in: -9...9, using: &random))" : ""
            let b = ["true", "false", ""].randomElement(using: &random) ?? ""
            let milliseconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random) * 1000
            let d = Bool.random(using: &random) ? "\(CivilTime(milliseconds: milliseconds))" : ""
            let s = ["", "x", "long and \"quoted\"", "é,"].randomElement(using: &random) ?? ""
            let e = ["", "gold", "silver plate"].randomElement(using: &random) ?? ""
            let quoted = s.replacing("\"", with: "\"\"")
            csv += "\(key),\(n),\(b),\(d),\"\(quoted)\",\(e)\r\n"
            let text = s.replacing("\"", with: "\\\"")
            let members = [
                "\"originalTransactionId\":\"\(key)\"", n.isEmpty ? "\"n\":null" : "\"n\":\(n)",
                b.isEmpty ? "" : "\"b\":\(b)", d.isEmpty ? "" : "\"d\":\"\(d)\"",
                "\"s\":\"\(text)\"", e.isEmpty ? "" : "\"e\":\"\(e)\"",
            ]
            json += "{\(members.filter { !$0.isEmpty }.shuffled(using: &random).joined(separator: ","))}\n"
        }
        let digests = try [Compiled.file(csv), Compiled.file(json, .ndjson)].map(\.header.digest)
        #expect(digests[0] == digests[1])
    }

    @Test("reads every date as `CivilTime` does")
    func dates() throws {
        var random = SeededGenerator(for: "dates of facts")
        var source = "originalTransactionId,d\n"
        var expected: [Int64] = []
        for key in 1...2000 {
            let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
            let time = CivilTime(milliseconds: seconds * 1000)
            source += "\(key),\(time)\n"
            expected.append(try #require(CivilTime(time.description)).milliseconds)
        }
        let schema = FactsSchema(facts: [.init(name: "d", type: .date)])
        let file = try Compiled.file(source, schema: schema)
        for (index, milliseconds) in expected.enumerated() {
            let row = try #require(file.find(UInt64(index + 1)))
            #expect(file.date(column: 0, row: row) == milliseconds)
        }
    }

    /// Returns the rows that are left out, each with its finding and its bytes, and the file of the other rows.
    private func withoutBadRows(_ source: String, blockByteCount: Int = 1 << 16) throws -> (
        skipped: [String], file: FactsFile
    ) {
        var skipped: [String] = []
        let table = try FactsCompiler.read(
            FactsInput(bytes: Array(source.utf8), blockByteCount: blockByteCount),
            format: .csv,
            schema: Compiled.schema,
            badRows: .skip(maxPercent: 100) { (row: FactsCompiler.SkippedRow) throws(SystemCallError) in
                skipped.append("\(row.finding.text) | \(String(decoding: row.bytes, as: UTF8.self))")
            }
        )
        var output = MemoryOutput()
        try FactsCompiler.write(table.takeRows(), Compiled.making, to: &output)
        return (skipped, try FactsFile(bytes: output.bytes, check: .full))
    }

    @Test("loses no row to a quotation mark that is not closed in its row", arguments: [1 << 16, 1, 7])
    func strayQuotes(blockByteCount: Int) throws {
        func table(_ rows: [Int: String], count: Int) -> String {
            Compiled.csvHeader + (1...count).map { (rows[$0] ?? "\($0),1,,,x,") + "\n" }.joined()
        }
        let (pair, rest) = try withoutBadRows(
            table([5: "5,1,,,\"a\nb\",", 10: "10,1,,,\"x,", 90: "90,1,,,\"y,"], count: 100),
            blockByteCount: blockByteCount)
        #expect(
            pair == [
                "12:8: error: facts.bad-quote: a quotation mark that is closed 80 lines further on, with more behind it | "
                    + "10,1,,,\"x,",
                "92:8: error: facts.unterminated-quote: a quotation mark that is never closed | 90,1,,,\"y,",
            ]
        )
        #expect(rest.rowCount == 98 && rest.find(11) != nil && rest.find(89) != nil && rest.find(100) != nil)
        #expect(Compiled.values(rest, 5)?[3] == "\"a\nb\"")
        // A well-formed row is left out with all of its lines: a line inside a text is never a row.
        let (whole, others) = try withoutBadRows(
            table([5: "5,x,,,\"a\n66,1,,,,\nb\","], count: 9), blockByteCount: blockByteCount)
        #expect(
            whole.count == 1 && whole[0].contains("; the row has lines 6 to 8 | 5,x,,,\"a\n66,1,,,,\nb\",")
        )
        #expect(others.rowCount == 8 && others.find(66) == nil)
    }

    @Test("lists the columns that it ignores and the facts that no row has")
    func notes() throws {
        let table = try FactsCompiler.read(
            FactsInput(bytes: Array("originalTransactionId,zip,n,b,d,s,e,city\n1,9,1,,,,gold,Z\n".utf8)),
            format: .csv, schema: Compiled.schema)
        #expect(table.ignored == ["zip", "city"] && table.alwaysMissing == ["b", "d", "s"])
        let json = try FactsCompiler.read(
            FactsInput(bytes: Array(#"{"originalTransactionId":1,"zip":9,"n":1,"city":{}}"#.utf8)),
            format: .ndjson, schema: Compiled.schema)
        #expect(json.ignored == ["city", "zip"] && json.alwaysMissing == ["b", "d", "s", "e"])
    }

    @Test("reads a file as it reads memory, and leaves only the committed file behind")
    func files() throws {
        let folder = try TemporaryDirectory()
        let source =
            Compiled.csvHeader + (1...5000).map { "\($0),\($0),,,t\($0),\n" }.joined()
        try folder.write(source, to: "table.csv")
        let table = try FactsCompiler.read(
            FactsInput(reading: FileDescriptor.openForReading(path: folder.path(of: "table.csv"))),
            format: .csv, schema: Compiled.schema)
        var file = try AtomicFileWriter(path: folder.path(of: "out.facts"))
        try FactsCompiler.write(table.takeRows(), Compiled.making, to: &file)
        try file.commit()
        let expected = try Compiled.file(source).header.digest
        #expect(try FactsFile(bytes: folder.read("out.facts"), check: .full).header.digest == expected)
        let directory = try FileDescriptor.openDirectory(path: folder.path)
        #expect(try Directory.names(in: directory, limitCount: 10) == ["out.facts", "table.csv"])
    }
}

@Suite("The corpus of tables of facts")
struct FactsSourceCorpusTests {
    @Test("is compiled or refused without a trap")
    func replay() throws {
        try FuzzCorpus.replay("FactsSource") { fuzzFactsSource($0) }
    }
}
