internal import ArgumentParser
internal import Authoring
internal import CommandLineTool
internal import Configuration
internal import Facts
internal import JSON
internal import NotificationStore
internal import SubscriberHistory
internal import System

struct FactsBuild: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Builds a facts file from a table of yours, from stored notifications, or from both.",
        discussion: """
            The rules source, or another JSON file with "facts", says which facts the file gets and of which type: bool, \
            int, date, string or enum(a, b). A fact that is not known of a subscriber is missing, never guessed.

            A table is CSV (RFC 4180) with a header row, which also tells whether semicolons, tabs or vertical bars \
            separate the columns; or it has a JSON object on each line. The column originalTransactionId is the key; \
            --column names another one, also for a fact. An empty field and NULL are missing values. If rows are bad, the \
            command says of each kind of mistake how many rows have it and where the first one is, and writes nothing. \
            --skip-bad leaves up to 1 percent of bad rows out, or as many as --max-bad says, and collects them as JSON \
            lines; a row that is not UTF-8 has a member "bytes" there, in base64. A row of more than 1 MiB is always an \
            error.

            With --store or --config, facts such as paidPeriods, inTrial and lastOfferAt follow from what Apple signed; \
            retention-facts(5) says how. The columns of a table join by originalTransactionId. A name in both is an \
            error unless --prefer says which of the two counts where it has a value. Up to 1 percent of the table's rows \
            may then be bad also without --skip-bad; a warning sums them up. A build that finds nobody in the store fails \
            without --allow-empty: after a mistake in --bundle-id it would take the facts away from all subscribers. A \
            subscriber with more than 10,000 notifications, transactions or renewal infos has no facts from the store.

            The output file is replaced as a whole or not at all. Equal inputs and build times give equal bytes.

            Example:
              retentionctl facts build subscribers.csv \\
                --schema rules.json -o com.example.app.facts
              retentionctl facts build subscribers.csv --schema rules.json \\
                --store sqlite:/var/lib/retentiond/store/notifications.db \\
                -o com.example.app.facts
            """
    )

    enum Preference: String, ExpressibleByArgument, CaseIterable {
        case store
        case table
    }

    @Argument(
        help: "A table of subscribers with facts of your own; - for standard input.",
        completion: .file(extensions: ["csv", "ndjson", "jsonl"]))
    var table: String?

    @Option(name: [.customShort("o"), .long], help: "The file to write; its name ends with .facts.")
    var outputFile: String

    @Option(help: "The rules source, or another JSON file, with \"facts\".", completion: .json)
    var schema = "rules.json"

    @Option(help: "csv or ndjson; if absent, the table's name decides.")
    var format: FactsFormat?

    @Option(help: "Whose value counts for a fact in both, where it has one: store or table.")
    var prefer: Preference?

    @Option(
        help: ArgumentHelp("The column of a fact, or of originalTransactionId.", valueName: "name=column"))
    var column: [NamedValue] = []

    @Option(help: "Which row of a subscriber in several rows counts: error (none), first or last.")
    var duplicates: FactsBuilder.Duplicates = .error

    @OptionGroup var badRows: BadRowOptions

    @Option(help: "The time for which the facts hold: RFC 3339 or milliseconds since 1970; now if absent.")
    var at: TimeArgument?

    @Flag(help: "Write the file also when the store has nobody of the app in the environment.")
    var allowEmpty = false

    @Option(help: "The app's appAppleId, if the schema does not have it.")
    var app: Int64?

    @Option(help: "The app's bundle ID, if the schema does not have it.")
    var bundleId: String?

    @Option(help: "Production, Sandbox or LocalTesting, if the schema does not have it.")
    var environment: Environment?

    @OptionGroup var selection: StoreSelection

    @Option(help: "The build time: RFC 3339 or milliseconds since 1970; now if absent.")
    var built: TimeArgument?

    @OptionGroup var output: OutputOptions

    private var hasStore: Bool { selection.store != nil || selection.config != nil }

    func validate() throws {
        try DataFileOutput.checkName(outputFile, ending: ".facts")
        guard app ?? 1 > 0 else { throw ValidationError("--app must be above 0.") }
        guard built?.milliseconds ?? 0 >= 0 else { throw ValidationError("--built must not be before 1970.") }
        guard hasStore || table != nil else {
            throw ValidationError("Name a table, or a store with --store or --config.")
        }
        guard environment != .xcode, !hasStore || environment != .localTesting else {
            throw ValidationError(
                "Notifications come from Production and Sandbox, and no service takes Xcode's requests.")
        }
        if let table {
            guard format != nil || FactsFormat(path: table) != nil else {
                throw ValidationError("Say --format csv or --format ndjson: the name of the table does not.")
            }
        } else if badRows.skipBad != nil || badRows.maxBad != nil || !column.isEmpty || duplicates != .error {
            throw ValidationError("--skip-bad, --max-bad, --column and --duplicates need a table.")
        }
        guard prefer == nil || (table != nil && hasStore) else {
            throw ValidationError("--prefer needs a table and a store.")
        }
    }

    private struct Built: ~Copyable {
        let rows: FactsBuilder
        var members: [(String, JSONNode)]
        var warnings: [Finding]

        consuming func takeRows() -> FactsBuilder { rows }
    }

    func run() throws {
        let inputs = [schema] + [table].compactMap { $0 } + (hasStore ? try selection.inputs() : [])
        try OutputPaths.check(writing: [outputFile] + [badRows.skipBad].compactMap { $0 }, reading: inputs)
        let stamp = DataFileStamp(
            builtAtMilliseconds: built?.milliseconds ?? Clock.wallMilliseconds(),
            writerVersion: "retentionctl \(ProductVersion.text)")
        let schema = try readSchema()
        guard let app = app ?? schema.appAppleId, let environment = environment ?? schema.environment,
            let bundleId = hasStore ? bundleId ?? schema.bundleId : ""
        else {
            throw ToolError(
                code: "facts.no-app",
                "neither the schema nor --app, --bundle-id and --environment say whose facts these are",
                file: self.schema)
        }
        let skipped = try badRows.skippedRows()
        let making = FactsFileIdentity(appAppleId: app, environment: environment, stamp: stamp)
        let members: [(String, JSONNode)]
        let warnings: [Finding]
        let rowCount: Int
        do {
            let built = try build(schema, bundleId, making, skipped)
            (members, warnings, rowCount) = (built.members, built.warnings, built.rows.rowCount)
            try write(built.takeRows(), making, skipped)
        } catch {
            throw skipped?.failing(error) ?? error
        }
        Console.endProgress()
        let file = try CompiledFacts.open(outputFile, check: .structure)
        Console.report(warnings + repeated(rowCount - file.rowCount), json: false)
        Report(CompiledFacts.members(of: file, hasCounts: false) + members, title: outputFile)
            .print(json: output.json)
    }

    private func build(
        _ schema: FactsSchema, _ bundleId: String, _ making: FactsFileIdentity, _ skipped: SkippedRowsFile?
    ) throws -> Built {
        guard let path = table else { return try derive(schema, bundleId, making, nil) }
        let table = try read(path, schema, skipped)
        let (ignored, missing) = (table.ignored, table.alwaysMissing)
        let members: [(String, JSONNode)] = [
            ("skippedRows", JSONNode(table.skipped.count)),
            ("skippedLines", JSONNode(table.skipped.lineCount)),
            ("ignoredColumns", .array(ignored.map { .string($0) })),
            ("alwaysMissing", .array(missing.map { .string($0) })),
        ]
        var warnings = badRows.warnings(table.skipped, table: path)
        if !ignored.isEmpty {
            warnings.append(
                warning(
                    code: "facts.ignored-columns", "not in the schema: \(ignored.joined(separator: ", "))"))
        }
        guard hasStore else {
            if !missing.isEmpty {
                warnings.append(
                    warning(
                        code: "facts.always-missing",
                        "no row has a value of \(missing.joined(separator: ", "))"))
            }
            return Built(rows: table.takeRows(), members: members, warnings: warnings)
        }
        let rowCount = table.rowCount
        let merged = try MergedFacts(table, path: path, schema: schema)
        warnings += repeated(rowCount - merged.file.rowCount)
        var built = try derive(schema, bundleId, making, merged)
        built.members = members + built.members
        built.warnings = warnings + built.warnings
        return built
    }

    private func derive(
        _ schema: FactsSchema, _ bundleId: String, _ making: FactsFileIdentity, _ table: MergedFacts?
    ) throws -> Built {
        let columns = try FactColumns(schema, file: self.schema, table: table?.names ?? [], prefer: prefer)
        let time = at?.milliseconds ?? making.stamp.builtAtMilliseconds
        let build = StoredFacts(
            store: try selection.open(.read), app: bundleId, environment: making.environment.rawValue,
            now: time,
            columns: columns, table: table)
        let result = try build.run()
        let place = "\(bundleId) in \(making.environment.rawValue)"
        let (subscribers, large, unusable) = (
            result.subscriberCount, result.tooLargeCount, result.unusableKeyCount
        )
        var warnings: [Finding] = []
        if subscribers + large == 0 {
            warnings.append(
                warning(
                    code: "facts.no-subscribers", "the store has nobody of \(place)",
                    hint: "they come from the schema, or from --bundle-id and --environment"))
        }
        if unusable > 0 {
            let text =
                "\(unusable) subscribers have an identifier that is no number; no request can name them"
            warnings.append(warning(code: "facts.unusable-keys", text))
        }
        if large > 0 {
            let text =
                "\(large) subscribers have more than \(NotificationStore.subscriberRowCount) notifications, transactions or "
                + "renewal infos; the file has no facts from the store about them"
            warnings.append(warning(code: "facts.too-many-rows", text))
        }
        guard allowEmpty || subscribers > unusable else {
            let refusal = Finding(
                code: "facts.empty", "the file would have no facts from the store",
                hint: "--allow-empty writes the file nevertheless", file: outputFile)
            throw ToolError([refusal] + warnings)
        }
        let members: [(String, JSONNode)] = [
            ("at", .string(FactText.date(time))), ("subscribers", JSONNode(subscribers)),
            ("unusableKeys", JSONNode(unusable)), ("tooManyRows", JSONNode(large)),
        ]
        return Built(rows: result.takeRows(), members: members, warnings: warnings)
    }

    private func repeated(_ count: Int) -> [Finding] {
        guard count > 0 else { return [] }
        let text =
            "left out \(CountText.of(count, "row")) of subscribers who stand in several: the \(duplicates) counts"
        return [warning(code: "facts.skipped-rows", text)]
    }

    private func warning(code: String, _ message: String, hint: String? = nil) -> Finding {
        Finding(code: code, severity: .warning, message, hint: hint, file: outputFile)
    }

    private func readSchema() throws -> FactsSchema {
        let text = try RulesSourceFile(schema).bytes
        var result = try ToolError.about(schema) { try FactsSchema(parsing: text) }
        for given in column {
            if given.name == FactsSchema.keyName {
                result.keyColumn = given.value
            } else if let index = result.facts.firstIndex(where: { $0.name == given.name }) {
                result.facts[index].column = given.value
            } else {
                throw ValidationError("--column: \(schema) has no fact \(given.name).")
            }
        }
        var names: Set<String> = []
        for name in [result.keyColumn] + result.facts.map(\.column) where !names.insert(name).inserted {
            throw ValidationError("--column: the column \(name) would be two facts.")
        }
        return result
    }

    /// Reads the table. Nobody looks at a build that a timer starts from the store, so a few bad rows do not end it.
    private func read(
        _ path: String, _ schema: FactsSchema, _ skipped: SkippedRowsFile?
    ) throws -> FactsCompiler.Table {
        let filled = hasStore ? Set(SubscriberFact.allCases.map(\.name)) : []
        let handling = badRows.handling(skipped, maxPercent: hasStore ? BadRowOptions.usualMaxPercent : 0)
        do {
            return try FactsCompiler.read(
                FactsInput(reading: try Input.open(path)), format: format ?? FactsFormat(path: path) ?? .csv,
                schema: schema, optional: filled, badRows: handling, duplicates: duplicates,
                progress: { Console.progress("read \($0 >> 20) MiB") })
        } catch {
            // The skipped rows are the only file that is written while the table is read.
            throw failure(of: error, writing: badRows.skipBad)
        }
    }

    private func failure(of error: any Error, writing output: String?) -> ToolError {
        if case FactsCompilerError.output = error {
            ToolError(error, file: output)
        } else {
            ToolError(error, file: table)
        }
    }

    /// When the skipped rows cannot be kept, the old facts file stays.
    private func write(
        _ rows: consuming FactsBuilder, _ making: FactsFileIdentity, _ skipped: SkippedRowsFile?
    ) throws {
        var file = try ToolError.about(outputFile) {
            try AtomicFileWriter(path: outputFile, permissions: 0o600)
        }
        do {
            try FactsCompiler.write(rows, making, to: &file)
        } catch {
            throw failure(of: error, writing: outputFile)
        }
        try skipped?.commit()
        do { try file.commit() } catch { throw ToolError(error, file: outputFile) }
    }
}
