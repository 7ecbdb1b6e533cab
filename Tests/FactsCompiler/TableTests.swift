import Authoring
import Facts
import Support
import System
import Testing

/// Each table lies in `Tables` with what comes out beside it. The name can say more: `first` and `last` for rows of one
/// subscriber, `columns` for names of columns.
@Suite("A table of facts")
struct TableTests {
    private static let paths = Result {
        try SourceFile.paths(below: "Tests/FactsCompiler/Tables").filter { !$0.hasSuffix(".txt") }.sorted()
    }

    @Test(
        "gives its rows, and says what is wrong with the others, in blocks of any size",
        arguments: try paths.get())
    func table(path: String) throws {
        let source = try SourceFile.read("\(SourceFile.root)/\(path)")
        let text = try Self.outcome(source, path, blockByteCount: 1 << 16)
        for blockByteCount in [1, 7] {
            #expect(
                try Self.outcome(source, path, blockByteCount: blockByteCount) == text, "\(blockByteCount)")
        }
        try GoldenFile.check(text, path + ".txt")
    }

    /// The rows, then those that are left out, then the refusal where bad rows are errors.
    private static func outcome(_ source: [UInt8], _ path: String, blockByteCount: Int) throws -> String {
        var lines: [String] = []
        var skipped: [String] = []
        func read(_ badRows: FactsCompiler.BadRows) throws -> FactsFile {
            var schema = Compiled.schema
            if path.contains(".columns.") {
                schema.keyColumn = "Transaction ID"
                schema.facts[0].column = "Paid periods"
                schema.facts[2].column = "last_offer_at"
            }
            let table = try FactsCompiler.read(
                FactsInput(bytes: source, blockByteCount: blockByteCount),
                format: try #require(FactsFormat(path: path)), schema: schema, badRows: badRows,
                duplicates: path.contains(".first.") ? .first : path.contains(".last.") ? .last : .error)
            var output = MemoryOutput()
            try FactsCompiler.write(table.takeRows(), Compiled.making, to: &output)
            return try FactsFile(bytes: output.bytes, check: .full)
        }
        do {
            let file = try read(
                .skip(maxPercent: 100) { (row: FactsCompiler.SkippedRow) throws(SystemCallError) in
                    skipped.append("\(row.finding.text) | \(row.bytes.span.debugText)")
                })
            for key in file.rows.compactMap(file.key).sorted() {
                lines.append("\(key): " + (Compiled.values(file, key) ?? []).joined(separator: " "))
            }
        } catch let error as FactsCompilerError {
            lines.append(error.description)
        }
        lines += ["", "left out:"] + skipped + ["", "refused:"]
        do { _ = try read(.refuse) } catch let error as FactsCompilerError { lines.append(error.description) }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension Span<UInt8> {
    /// The text in one line.
    fileprivate var debugText: String {
        String(String(decoding: copied().prefix(80), as: UTF8.self).debugDescription.dropFirst().dropLast())
    }
}
