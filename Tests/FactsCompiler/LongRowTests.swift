import Vocabulary
import DataFiles
@testable import FactsCompiler
import Support
import System
import Testing

/// A row of a given length, in one of the formats.
struct LongRow: Sendable, CustomTestStringConvertible {
    let format: FactsFormat
    let byteCount: Int
    let lineEnd: String
    var testDescription: String {
        "\(format), \(byteCount - FactsCompilerLimits.rowByteCount), \(lineEnd.debugDescription)"
    }

    static let all = FactsFormat.allCases.flatMap { format in
        ["\n", "\r\n"].flatMap { lineEnd in
            [0, 1, 2, 3, 1 << 20].map { more in
                LongRow(format: format, byteCount: FactsCompilerLimits.rowByteCount + more, lineEnd: lineEnd)
            }
        }
    }

    var header: String { format == .csv ? "originalTransactionId,n,b,d,s,e,other\n" : "" }

    /// Returns the row as text, padded in a column that is not a fact.
    func row(_ key: Int) -> String {
        let (before, after) =
            format == .csv ? ("\(key),1,,,,,", "") : ("{\"originalTransactionId\":\(key),\"x\":\"", "\"}")
        return before + String(repeating: "ä", count: (byteCount - before.utf8.count - after.utf8.count) / 2)
            + (byteCount % 2 == (before + after).utf8.count % 2 ? "" : "b") + after
    }

    func short(_ key: Int) -> String {
        format == .csv ? "\(key),1,,,,," : "{\"originalTransactionId\":\(key)}"
    }
}

@Suite("A row beyond the limit")
struct LongRowTests {
    /// Returns the rows that the compiler left out, and the file of the other rows.
    private func skipping(
        _ source: String,
        _ format: FactsFormat,
        blockByteCount: Int
    ) throws -> (skipped: [FactsCompiler.SkippedRow], file: FactsFile) {
        var skipped: [FactsCompiler.SkippedRow] = []
        let table = try FactsCompiler.read(
            FactsInput(bytes: Array(source.utf8), blockByteCount: blockByteCount),
            format: format,
            schema: Compiled.schema,
            badRows: .skip(maxPercent: 100) { (row: FactsCompiler.SkippedRow) throws(SystemCallError) in
                skipped.append(row)
            }
        )
        var output = MemoryOutput()
        try FactsCompiler.write(table.takeRows(), Compiled.making, to: &output)
        return (skipped, try FactsFile(bytes: output.bytes, check: .full))
    }

    @Test(
        "is left out like any bad row, with blocks of any size, and a row at the limit is accepted",
        arguments: LongRow.all
    )
    func limit(row: LongRow) throws {
        let lines = [row.short(1), row.row(2), row.short(3), row.row(4)]
        // With CRLF line ends, a line feed follows the last row. With line feeds, nothing follows it.
        let source = row.header + lines.joined(separator: row.lineEnd) + (row.lineEnd == "\n" ? "" : "\n")
        for blockByteCount in [FactsCompilerLimits.blockByteCount, 8 << 20] {
            let (skipped, file) = try skipping(source, row.format, blockByteCount: blockByteCount)
            guard row.byteCount > FactsCompilerLimits.rowByteCount else {
                #expect(skipped.isEmpty && file.rowCount == 4)
                continue
            }
            #expect(file.rowCount == 2 && file.find(1) != nil && file.find(3) != nil)
            let first = row.format == .csv ? 3 : 2
            #expect(skipped.map(\.finding.code) == ["facts.row-too-long", "facts.row-too-long"])
            #expect(skipped.map(\.finding.line) == [first, first + 2])
            #expect(skipped.map(\.byteCount) == [row.byteCount, row.byteCount])
            for (skipped, text) in zip(skipped, [row.row(2), row.row(4)]) {
                let kept = String(decoding: skipped.bytes, as: UTF8.self)
                #expect(kept.utf8.count == skipped.bytes.count, "cut inside a character")
                #expect(text.hasPrefix(kept))
                let limit = FactsCompilerLimits.keptByteCount
                #expect((limit - 1...limit).contains(skipped.bytes.count))
            }
        }
    }

    @Test(
        "is left out with all lines that its quotation marks enclose: a line inside a text is never a row",
        arguments: [FactsCompilerLimits.blockByteCount, 1 << 16],
        ["\n", "\r\n"]
    )
    func quotedLines(blockByteCount: Int, lineEnd: String) throws {
        let line = String(repeating: "ä", count: 1 << 18)
        let lines = ["\"\"a", line, "66,1,,,,,", line, "\"\",b\"\"", line, "67,1,,,,,"]
        let text = lines.joined(separator: lineEnd)
        let long = "5,1,,,,,\"\(text)\""
        let rows = ["1,1,,,x,,", long, "6,x,,,,,", "7,1,,,,,"]
        let head = "originalTransactionId,n,b,d,s,e,other"
        let source = ([head] + rows).joined(separator: lineEnd) + lineEnd
        let (skipped, file) = try skipping(source, .csv, blockByteCount: blockByteCount)
        #expect(file.rowCount == 2 && file.find(1) != nil && file.find(7) != nil)
        #expect(file.find(66) == nil && file.find(67) == nil)
        #expect(skipped.map(\.finding.line) == [3, 10])
        #expect(skipped.map(\.byteCount) == [long.utf8.count, 8])
        #expect(skipped.first?.finding.message.hasSuffix("; the row has lines 3 to 9") == true)
        // Without skipping, the lines of the long row give no findings of their own.
        #expect(
            try Compiled.findings(Array(source.utf8), blockByteCount: blockByteCount)
                == ["3:1 facts.row-too-long", "10:3 facts.bad-integer"]
        )
    }

    @Test(
        "is left out with its first line alone when its quotation marks are wrong further on",
        arguments: ["", "\"x", "8,\"y\"z,,,,,\n", "9,1,,z\",,\n"],
        ["stray", "closed"]
    )
    func wrongQuotes(end: String, kind: String) throws {
        let rows = (10..<1200).map { "\($0),1,,,\(String(repeating: "x", count: 1000)),\n" }.joined()
        let long = kind == "stray" ? "5,1,,,\"abc," : "5,1,,,\"a\"\"b\",\"abc"
        let source = "\(Compiled.csvHeader)\(long)\n\(rows)\(end)"
        let (skipped, file) = try skipping(source, .csv, blockByteCount: 1 << 16)
        #expect(file.rowCount == 1190 && file.find(10) != nil && file.find(1199) != nil)
        #expect(skipped.map(\.finding.line) == [2] + (end.isEmpty ? [] : [1193]))
        #expect(skipped[0].bytes == Array(long.utf8))
    }

    @Test(
        "is left out with the lines of its last text, however much of the row stands before the text"
    )
    func lateQuotes() throws {
        let long = String(repeating: "x", count: FactsCompilerLimits.enclosedByteCount)
        let row = "5,1,,,\(long),\"a\n66,1,,,,\nb\""
        let source = "\(Compiled.csvHeader)\(row)\n7,1,,,,\n"
        let (skipped, file) = try skipping(source, .csv, blockByteCount: FactsCompilerLimits.blockByteCount)
        #expect(file.rowCount == 1 && file.find(7) != nil && file.find(66) == nil)
        #expect(skipped.map(\.byteCount) == [row.utf8.count])
    }

    @Test("is one finding among others without skipping")
    func refused() throws {
        let long = String(repeating: "a", count: 3 << 20)
        for end in ["", "\n"] {
            let source = Array("\(Compiled.csvHeader)5,,,,\"\(long)\(end)".utf8)
            #expect(try Compiled.findings(source) == ["2:1 facts.row-too-long"])
        }
        let source = "\(Compiled.csvHeader)1,x,,,,\n5,,,,\(long),\n6,y,,,,\n"
        #expect(
            try Compiled.findings(Array(source.utf8))
                == ["2:3 facts.bad-integer", "3:1 facts.row-too-long", "4:3 facts.bad-integer"]
        )
        // Without a header nothing can be read.
        #expect(try Compiled.findings(Array("\(long)\n1,,,,,\n".utf8)) == ["1:1 facts.row-too-long"])
        for (more, expected) in [(0, []), (1, ["1:1 facts.row-too-long"])] {
            let start = Compiled.csvHeader.dropLast() + ","
            let header = start + long.prefix(FactsCompilerLimits.rowByteCount + more - start.utf8.count)
            #expect(try Compiled.findings(Array("\(header)\n1,,,,,,\n".utf8)) == expected, "\(more)")
        }
    }

    @Test("never takes more memory than a row at the limit and two blocks")
    func memory() throws {
        let long = String(repeating: "a", count: 8 << 20)
        let source = Array("\(Compiled.csvHeader)1,1,,,\(long),\n2,1,,,,\n".utf8)
        var skipped: [Int] = []
        var reader = FactsReader(
            FactsInput(bytes: source, blockByteCount: 1 << 16),
            schema: Compiled.schema,
            badRows: .skip(maxPercent: 100) { (row: FactsCompiler.SkippedRow) throws(SystemCallError) in
                skipped.append(row.byteCount)
            }
        )
        var rows = FactsRowAssembler(facts: Compiled.schema.facts)
        var table = CSVRows()
        try reader.readHeader(&table)
        try reader.readRows(&table, into: &rows) { _ in }
        #expect(skipped == [(8 << 20) + 7])
        let byteCount = reader.input.bytes.count
        #expect(byteCount <= FactsCompilerLimits.rowByteCount + (2 << 16))
    }
}
