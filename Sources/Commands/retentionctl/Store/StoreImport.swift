internal import ArgumentParser
internal import JSON
internal import NotificationStore
internal import System
internal import Vocabulary

/// Takes lines of an export, request bodies or another store over.
struct StoreImport: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Takes an export, request bodies or another store over, and verifies every JWS.",
        discussion: """
            Reads lines: those of `store export`, request bodies as Apple sends them ({"signedPayload":"…"}), or bare JWS. \
            Every JWS is verified before it is stored, at its own time of signing, for the apps of --config, or with \
            --any-app for the app that it names. What is in the store already is not stored again. What belongs to an \
            erased subscriber is dropped: the tombstones of the store count, and those of the import, which stay in the \
            store. What the store has of these subscribers is deleted, as by `store erase`.

            The store is made when there is none. Lines that are refused are reported with their code, the others are \
            stored, and the command ends with 65. After an interruption, import again. Finished ranges and places \
            of other work are taken over only when no line is refused. The place of a receiver is taken over unless the store \
            has one, and only as far as no notification came from elsewhere: the receiver gets the others again. So stop the \
            recorder while a new store is filled.

            Example:
              retentionctl store import notifications.ndjson \\
                --config /etc/retentiond/retentiond.json \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
              retentionctl store import --any-app \\
                --from sqlite:/var/lib/retentiond/store/notifications.db \\
                --store postgresql://db.example.com/retention
            """
    )

    @Argument(help: ArgumentHelp("The file with the lines; - for standard input.", valueName: "file"))
    var file: String?

    @Option(help: ArgumentHelp("Take another store over instead of a file.", valueName: "url"))
    var from: String?

    @Flag(help: "Accept every app that a payload names.")
    var anyApp = false

    @OptionGroup var trust: PayloadTrustOptions
    @OptionGroup var selection: StoreSelection
    @OptionGroup var output: OutputOptions

    /// The longest line in bytes: the longest JWS that a store keeps, and what stands around it.
    static let lineByteCount = (1 << 20) + (1 << 14)

    func validate() throws {
        guard (file == nil) != (from == nil) else { throw ValidationError("Give a file or --from.") }
        guard anyApp != (selection.config != nil) else {
            throw ValidationError("Give --config for its apps, or --any-app.")
        }
    }

    func run() throws {
        let configuration = try selection.configuration()
        let trust = try PayloadTrust(trust, configuration)
        let address = try selection.address()
        let source = try from.map { try StoreSelection.address($0) }
        guard source?.resolved != address.resolved else { throw ToolFailure(StoreToolError.sameStore) }
        var reading = try source.map { StoreReading(try StoreSelection.open($0, .read)) }
        let importer = try StoreImporter(StoreSelection.open(address, .create), trust)
        if reading != nil {
            var number = 0
            try reading?.forEach { record in
                number += 1
                try importer.take(record, line: number)
            }
            for row in reading?.damaged ?? [] { importer.noteDamaged(row.kind, row.id) }
        } else if let file {
            try read(file, importer)
        }
        try importer.finish()
        Console.endProgress()
        try report(importer)
    }

    private func read(_ file: String, _ importer: StoreImporter) throws {
        let now = Clock.wallMilliseconds()
        try InputLines.forEach(in: file, lineLimitBytes: Self.lineByteCount) {
            number,
            line throws(ToolFailure) in
            let record: StoreRecord
            do throws(StoreToolError) {
                record = try StoreRecord(line: Whitespace.trimmed(line), receivedAt: now)
            } catch {
                guard case .badLine = error else { throw ToolFailure(error, file: file) }
                importer.refuse(code: error.code, error.description, line: number)
                return
            }
            do { try importer.take(record, line: number) } catch { throw ToolFailure(error) }
        }
    }

    private func report(_ importer: StoreImporter) throws {
        let findings = importer.refused.map { $0.inFile(file ?? from) }
        guard !output.json else {
            let counts = importer.counts.map { ($0.name, JSONNode.integer(Int64($0.count))) }
            Console.print(.object(counts + [("diagnostics", .array(findings.map(\.json)))]))
            if importer.refusedCount > 0 { throw ExitCode(ExitStatus.badData.rawValue) }
            return
        }
        Console.print(lines: importer.counts.map { "\($0.title): \($0.count)" })
        guard importer.refusedCount == 0 else { throw ToolFailure(.badData, findings) }
    }
}
