internal import DataFileWriting
internal import DataFiles
internal import FactsCompiler
internal import SubscriberHistory
internal import System
internal import Vocabulary

/// The operator's own table, compiled into memory, in which rows are found by their keys.
struct MergedFacts {
    let file: FactsFile
    /// The names of the schema that have a value in some row.
    let names: Set<String>
    /// The rows that were left out.
    let skipped: FactsCompiler.Skipped

    /// Reads the table at `path`. It may lack the columns that the store fills. Nobody looks at a build that a timer starts, so a
    /// few bad rows do not end it.
    ///
    /// - Throws: what is wrong with the table, by line and column.
    init(path: String, schema: FactsSchema, badRows: BadRowOptions) throws(ToolFailure) {
        let file = try badRows.skippedRows()
        do throws(ToolFailure) {
            try self.init(
                path, schema, badRows.handling(file, maxPercent: BadRowOptions.usualMaxPercent),
                badRows.skipBad)
        } catch {
            throw file?.failing(error) ?? error
        }
        try file?.commit()
    }

    private init(
        _ path: String, _ schema: FactsSchema, _ badRows: FactsCompiler.BadRows, _ skippedPath: String?
    ) throws(ToolFailure) {
        let failure = { (error: FactsCompilerError) -> ToolFailure in
            if case .output = error {
                ToolFailure(error, file: skippedPath)
            } else {
                ToolFailure(error, file: path)
            }
        }
        let table = try FactsCompilerError.mapped(
            to: failure,
            try FactsCompiler.read(
                FactsInput(reading: try Self.open(path)), format: FactsFormat(path: path) ?? .csv,
                schema: schema, optional: Set(SubscriberFact.allCases.map(\.name)), badRows: badRows))
        skipped = table.skipped
        names = Set(schema.facts.map(\.name)).subtracting(table.alwaysMissing)
        var output = MemoryOutput()
        let making = FactsFileIdentity(
            appAppleId: 1, environment: .production,
            stamp: DataFileStamp(builtAtMilliseconds: 0, writerVersion: ""))
        try FactsCompilerError.mapped(to: failure, giving: table.takeRows()) {
            rows throws(FactsCompilerError) in
            try FactsCompiler.write(rows, making, to: &output)
        }
        let bytes = output.bytes
        file = try DataFileError.mapped(
            to: { ToolFailure($0, file: path) },
            try FactsFile(bytes: bytes, check: .structure)
        )
    }

    private static func open(_ path: String) throws(FactsCompilerError) -> FileDescriptor {
        try SystemCallError.mapped(
            to: FactsCompilerError.input, try FileDescriptor.openForReading(path: path))
    }
}
