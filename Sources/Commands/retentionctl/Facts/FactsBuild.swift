internal import ArgumentParser
internal import Configuration
internal import DataFileWriting
internal import FactsCompiler
internal import JSON
internal import NotificationStore
internal import System
internal import Vocabulary

/// Builds a facts file from the notifications and transactions in the store.
struct FactsBuild: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "build",
        abstract: "Builds a facts file from stored notifications and transactions.",
        discussion: """
            Facts such as paidPeriods, inTrial and lastOfferAt follow from what Apple signed; retention-facts(5) says how. The \
            rules source, or another JSON file with "facts", says which facts the file gets. A fact that is not known of a \
            subscriber is missing, never guessed.

            With --merge the columns of your own table join, by originalTransactionId. A name in both is an error unless \
            --prefer says which of the two counts; the other one counts for a subscriber of whom the preferred one has no \
            value. The table is as for `facts compile`, and may lack the columns that the store fills. Bad rows of it are \
            left out with a warning that shows the first of them; the build fails when more than 1 percent is bad, or \
            more than --max-bad says. --skip-bad collects them.

            A build that finds nobody in the store whom a request can name fails, and the old file stays: after a mistake \
            in --bundle-id, a file without facts from the store would take them away from all subscribers. With \
            --allow-empty, the build writes it. A subscriber with more than 10,000 notifications, transactions or renewal \
            infos has no facts from the store, and the build that finds that warns of it.

            Example:
              retentionctl facts build --schema rules.json \\
                --store sqlite:/var/lib/retentiond/store/notifications.db \\
                --merge subscribers.csv -o com.example.app.facts
            """
    )

    /// Whose value counts when the store and the table both have a fact.
    enum Preference: String, ExpressibleByArgument, CaseIterable {
        case store
        case table
    }

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

    @Option(help: ArgumentHelp("A table with facts of your own, CSV or NDJSON.", valueName: "file"))
    var merge: String?

    @Option(
        help: ArgumentHelp(
            "Whose value counts for a fact in both, where it has one: store or table.", valueName: "source")
    )
    var prefer: Preference?

    @OptionGroup var badRows: BadRowOptions

    @Option(
        help: ArgumentHelp(
            "The time for which the facts hold: RFC 3339 or milliseconds since 1970; now if absent.",
            valueName: "time")
    )
    var now: TimeArgument?

    @Flag(help: "Write the file also when the store has nobody of the app in the environment.")
    var allowEmpty = false

    @Option(help: ArgumentHelp("The app's appAppleId, if the schema does not have it.", valueName: "id"))
    var app: Int64?

    @Option(help: ArgumentHelp("The app's bundle ID, if the schema does not have it.", valueName: "id"))
    var bundleId: String?

    @Option(
        help: ArgumentHelp("Production or Sandbox, if the schema does not have it.", valueName: "name")
    )
    var environment: Environment?

    @OptionGroup var selection: StoreSelection
    @OptionGroup var buildTime: BuildTimeOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try DataFileOutput.checkName(outputFile, ending: ".facts")
        guard app ?? 1 > 0 else { throw ValidationError("--app must be above 0.") }
        guard environment.map({ [.production, .sandbox].contains($0) }) ?? true else {
            throw ValidationError("Notifications come from Production and Sandbox.")
        }
        guard merge.map({ FactsFormat(path: $0) != nil }) ?? true else {
            throw ValidationError("The table of --merge must end with .csv, .ndjson or .jsonl.")
        }
        guard prefer == nil || merge != nil else { throw ValidationError("--prefer needs --merge.") }
        guard badRows.skipBad == nil && badRows.maxBad == nil || merge != nil else {
            throw ValidationError("--skip-bad and --max-bad need --merge.")
        }
    }

    func run() throws {
        let inputs = [schema] + [merge].compactMap { $0 } + (try selection.inputs())
        try OutputPaths.check(writing: [outputFile] + [badRows.skipBad].compactMap { $0 }, reading: inputs)
        let stamp = try buildTime.stamp()
        let schema = try readSchema()
        guard let app = app ?? schema.appAppleId, let bundleId = bundleId ?? schema.bundleId,
            let environment = environment ?? schema.environment
        else {
            throw ToolFailure(
                .badData, code: "facts.no-app",
                "neither the schema nor --app, --bundle-id and --environment say whose facts these are",
                file: self.schema)
        }
        let table = try merge.map { path throws(ToolFailure) in
            let table = try MergedFacts(path: path, schema: schema, badRows: badRows)
            Console.report(badRows.warnings(table.skipped, table: path), json: false)
            return table
        }
        let columns = try FactColumns(schema, file: self.schema, table: table?.names ?? [], prefer: prefer)
        let store = try selection.open(.read)
        let progress = FactsProgress(totalByteCount: nil)
        defer { progress.end() }
        let making = FactsFileIdentity(appAppleId: app, environment: environment, stamp: stamp)
        let time = now?.milliseconds ?? stamp.builtAtMilliseconds
        let build = StoredFacts(
            store: store, app: bundleId, environment: environment.rawValue, now: time, columns: columns,
            table: table)
        let result = try build.run(progress)
        guard allowEmpty || result.subscriberCount > result.unusableKeyCount else {
            throw nobody(result, of: bundleId, in: environment)
        }
        let summary = FactsBuildSummary(
            path: outputFile, now: time, app: bundleId, environment: environment,
            subscriberCount: result.subscriberCount, tooLargeCount: result.tooLargeCount,
            unusableKeys: result.unusableKeyCount)
        try write(result.takeRows(), making, progress)
        progress.end()
        try summary.show(json: output.json)
    }

    /// Says why no subscriber of the store would be in the file.
    private func nobody(_ result: borrowing StoredFacts.Result, of app: String, in environment: Environment)
        -> ToolFailure
    {
        let place = "\(app) in \(environment.rawValue)"
        let causes: [(count: Int, whom: String)] = [
            (result.unusableKeyCount, "whose identifier is no number, as requests have"),
            (
                result.tooLargeCount,
                "with more than \(NotificationStore.subscriberRowCount) notifications, transactions or renewal infos"
            ),
        ].filter { $0.count > 0 }
        let whom =
            causes.isEmpty
            ? "nobody of \(place)"
            : "of \(place) only " + causes.map { "\($0.count) \($0.whom)" }.joined(separator: ", ")
        var hint = "--allow-empty writes the file nevertheless"
        if causes.isEmpty {
            hint =
                "the app and the environment come from the schema, or from --bundle-id and --environment; "
                + hint
        }
        return ToolFailure(
            .badData, code: FactsBuildReason.empty.code,
            "the file would have no facts from the store, which has \(whom)", hint: hint, file: outputFile)
    }

    private func readSchema() throws(ToolFailure) -> FactsSchema {
        let text = try RulesSourceFile(schema).bytes
        return try FactsCompilerError.mapped(
            to: { ToolFailure($0, file: schema) },
            try FactsSchema(parsing: text)
        )
    }

    private func write(_ rows: consuming FactsBuilder, _ making: FactsFileIdentity, _ progress: FactsProgress)
        throws(ToolFailure)
    {
        let count = rows.rowCount
        let unwritten = { (error: SystemCallError) in ToolFailure(writing: outputFile, error) }
        var file = try SystemCallError.mapped(
            to: unwritten, try AtomicFileWriter(path: outputFile, permissions: 0o600))
        try FactsCompilerError.mapped(
            to: { ToolFailure($0, file: outputFile) },
            giving: rows
        ) { rows throws(FactsCompilerError) in
            try FactsCompiler.write(rows, making, to: &file) { progress.written($0, of: count) }
        }
        try SystemCallError.mapped(to: unwritten, giving: file) { file throws(SystemCallError) in
            try file.commit()
        }
    }
}
