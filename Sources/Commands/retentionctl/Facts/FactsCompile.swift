internal import ArgumentParser
internal import DataFileWriting
internal import DataFiles
internal import FactsCompiler
internal import JSON
internal import System
internal import Vocabulary

/// Compiles a table of subscribers into the facts file in which the service looks them up.
struct FactsCompile: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compiles a table of subscribers into the facts file that the service reads.",
        discussion: """
            The table is CSV (RFC 4180) with a header row, or it has a JSON object on each line. The column \
            originalTransactionId is the key. The facts, their types and the app come from a rules source, or from a \
            JSON file such as {"app": {"appAppleId": 1}, "environment": "Production", "facts": {"paidPeriods": \
            "int"}}. The types are bool, int, date, string and enum(a, b). An empty field is a missing value.

            If rows are bad, the command prints each of them with its line and column and writes nothing. It replaces the output \
            file as a whole or not at all. Equal rows and build time give equal bytes.

            With --skip-bad the command leaves bad rows out and collects them as JSON lines in a file of their own. More \
            than 1 percent of bad rows is still an error, and the old file stays: without most of its rows, a file \
            would take the facts away from most subscribers. --max-bad sets another percentage. A \
            row that is not UTF-8 has a member "bytes" there, in base64. A row of more than 1 MiB, perhaps because a \
            quotation mark is not closed, is always an error, and the reading ends there.

            Example:
              retentionctl facts compile subscribers.csv \\
                --schema rules.json -o com.example.app.facts
            """
    )

    @Argument(
        help: "The table; - for standard input.",
        completion: .file(extensions: ["csv", "ndjson", "jsonl"])
    )
    var source: String

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write; its name ends with .facts.", valueName: "file")
    )
    var outputFile: String

    @Option(
        help: ArgumentHelp("The rules source, or another JSON file, with \"facts\".", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var schema = "rules.json"

    @Option(help: ArgumentHelp("csv or ndjson; if absent, the table's name decides.", valueName: "format"))
    var format: FactsFormat?

    @Option(help: ArgumentHelp("The app's appAppleId, if the schema does not have it.", valueName: "id"))
    var app: Int64?

    @Option(
        help: ArgumentHelp(
            "Production, Sandbox or LocalTesting, if the schema does not have it.", valueName: "name")
    )
    var environment: Environment?

    @OptionGroup var badRows: BadRowOptions

    @OptionGroup var buildTime: BuildTimeOption

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try DataFileOutput.checkName(outputFile, ending: ".facts")
        try OutputPaths.check(
            writing: [outputFile] + [badRows.skipBad].compactMap { $0 },
            reading: [source, schema]
        )
        guard app ?? 1 > 0 else { throw ValidationError("--app must be above 0.") }
        guard environment != .xcode else { throw ValidationError("No service takes requests of Xcode.") }
        guard format != nil || FactsFormat(path: source) != nil else {
            throw ValidationError("Say --format csv or --format ndjson: the name of the table does not.")
        }
    }

    func run() throws {
        let stamp = try buildTime.stamp()
        let schema = try readSchema()
        let making = try making(schema, stamp)
        let skipped = try badRows.skippedRows()
        let byteCount = (try? FileStatus(path: source)).flatMap { $0.kind == .regular ? $0.byteCount : nil }
        let progress = FactsProgress(totalByteCount: byteCount)
        defer { progress.end() }
        let summary: FactsSummary
        do throws(ToolFailure) {
            let table = try read(schema, skipped, progress)
            summary = FactsSummary(
                path: outputFile, skipped: table.skipped,
                skippedWarnings: badRows.warnings(table.skipped, table: source), ignored: table.ignored,
                alwaysMissing: table.alwaysMissing)
            try write(table.takeRows(), making, skipped, progress)
        } catch {
            throw skipped?.failing(error) ?? error
        }
        progress.end()
        try summary.show(json: output.json)
    }

    private func read(_ schema: FactsSchema, _ skipped: SkippedRowsFile?, _ progress: FactsProgress)
        throws(ToolFailure) -> FactsCompiler.Table
    {
        try FactsCompilerError.mapped(
            // The skipped rows are the only file that is written while the table is read.
            to: { failure(of: $0, writing: badRows.skipBad) },
            try FactsCompiler.read(
                FactsInput(reading: try open()), format: format ?? FactsFormat(path: source) ?? .csv,
                schema: schema, badRows: badRows.handling(skipped, maxPercent: 0), progress: progress.read)
        )
    }

    /// Makes the failure for a table that was not compiled: `output` could not be written, or the table is at fault.
    private func failure(of error: FactsCompilerError, writing output: String?) -> ToolFailure {
        if case .output = error { ToolFailure(error, file: output) } else { ToolFailure(error, file: source) }
    }

    private func readSchema() throws(ToolFailure) -> FactsSchema {
        let text = try RulesSourceFile(schema).bytes
        return try FactsCompilerError.mapped(
            to: { ToolFailure($0, file: schema) },
            try FactsSchema(parsing: text)
        )
    }

    private func making(_ schema: FactsSchema, _ stamp: DataFileStamp) throws(ToolFailure)
        -> FactsFileIdentity
    {
        guard let app = app ?? schema.appAppleId, let environment = environment ?? schema.environment else {
            throw ToolFailure(
                .badData, code: "facts.no-app",
                "neither the schema nor --app and --environment say whose facts these are", file: self.schema)
        }
        return FactsFileIdentity(appAppleId: app, environment: environment, stamp: stamp)
    }

    private func open() throws(FactsCompilerError) -> FileDescriptor {
        try SystemCallError.mapped(
            to: FactsCompilerError.input,
            source == "-"
                ? try FileDescriptor.duplicate(of: 0) : try FileDescriptor.openForReading(path: source)
        )
    }

    /// Writes the facts file and the file of skipped rows. When the skipped rows cannot be kept, the old facts file
    /// stays.
    private func write(
        _ rows: consuming FactsBuilder, _ making: FactsFileIdentity, _ skipped: SkippedRowsFile?,
        _ progress: FactsProgress
    ) throws(ToolFailure) {
        let count = rows.rowCount
        let unwritten = { (error: SystemCallError) in ToolFailure(writing: outputFile, error) }
        var file = try SystemCallError.mapped(
            to: unwritten, try AtomicFileWriter(path: outputFile, permissions: 0o600))
        try FactsCompilerError.mapped(
            to: { failure(of: $0, writing: outputFile) },
            giving: rows
        ) { rows throws(FactsCompilerError) in
            try FactsCompiler.write(rows, making, to: &file) { progress.written($0, of: count) }
        }
        try skipped?.commit()
        try SystemCallError.mapped(to: unwritten, giving: file) { file throws(SystemCallError) in
            try file.commit()
        }
    }
}
