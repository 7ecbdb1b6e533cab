import Authoring
import Facts
import Rules
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
    fileprivate var debugText: String {
        String(String(decoding: copied().prefix(80), as: UTF8.self).debugDescription.dropFirst().dropLast())
    }
}

enum Compiled {
    static let schema = FactsSchema(facts: [
        .init(name: "n", type: .integer), .init(name: "b", type: .boolean), .init(name: "d", type: .date),
        .init(name: "s", type: .string), .init(name: "e", type: .enumeration(["gold", "silver plate"])),
    ])

    static let csvHeader = "originalTransactionId,n,b,d,s,e\n"

    static let making = FactsFileIdentity(
        appAppleId: 1, environment: .production,
        stamp: DataFileStamp(builtAtMilliseconds: 0, writerVersion: "test"))

    static func file(
        _ source: String, _ format: FactsFormat = .csv, schema: FactsSchema = schema,
        blockByteCount: Int = 1 << 16
    ) throws -> FactsFile {
        try file(Array(source.utf8), format, schema: schema, blockByteCount: blockByteCount)
    }

    static func file(
        _ source: [UInt8], _ format: FactsFormat = .csv, schema: FactsSchema = schema,
        blockByteCount: Int = 1 << 16
    ) throws -> FactsFile {
        let table = try FactsCompiler.read(
            FactsInput(bytes: source, blockByteCount: blockByteCount), format: format, schema: schema)
        var output = MemoryOutput()
        try FactsCompiler.write(table.takeRows(), making, to: &output)
        return try FactsFile(bytes: output.bytes, check: .full)
    }

    /// Returns the findings for a table, each as `line:column code`; empty when the table compiles.
    static func findings(
        _ source: [UInt8], _ format: FactsFormat = .csv, schema: FactsSchema = schema,
        blockByteCount: Int = 1 << 16
    ) throws -> [String] {
        do {
            _ = try file(source, format, schema: schema, blockByteCount: blockByteCount)
            return []
        } catch FactsCompilerError.findings(let findings) {
            return findings.map { finding in
                let place = finding.line.map { "\($0)" } ?? "-"
                let column = finding.column.map { ":\($0)" } ?? ""
                return "\(place)\(column) \(finding.code)"
            }
        }
    }

    /// Returns the values of the row with a key, as texts; nil when there is no such row.
    static func values(_ file: FactsFile, _ key: UInt64) -> [String]? {
        guard let row = file.find(key) else { return nil }
        return file.columns.indices.map { column in
            switch file.columns[column].kind {
            case .string: file.string(column: column, row: row).map { "\"\($0)\"" } ?? "-"
            case .date: file.date(column: column, row: row).map { "\(CivilTime(milliseconds: $0))" } ?? "-"
            case .integer: file.integer(column: column, row: row).map { "\($0)" } ?? "-"
            case .boolean: file.boolean(column: column, row: row).map { "\($0)" } ?? "-"
            }
        }
    }
}
