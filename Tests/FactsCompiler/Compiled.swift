import Authoring
import Facts
import System

/// Compiles tables for all tests of the facts compiler.
enum Compiled {
    /// A fact of every type.
    static let schema = FactsSchema(facts: [
        .init(name: "n", type: .integer), .init(name: "b", type: .boolean), .init(name: "d", type: .date),
        .init(name: "s", type: .string), .init(name: "e", type: .enumeration(["gold", "silver plate"])),
    ])

    /// The header of a table of comma-separated values with all facts of `schema`.
    static let csvHeader = "originalTransactionId,n,b,d,s,e\n"

    static let making = FactsFileIdentity(
        appAppleId: 1, environment: .production,
        stamp: DataFileStamp(builtAtMilliseconds: 0, writerVersion: "test"))

    /// Returns the file that the compiler makes of a table.
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
