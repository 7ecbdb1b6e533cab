internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import FoundationEssentials
internal import JSON
internal import NotificationStore
internal import SignedPayloads
internal import SQL
internal import System

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
            stored, and the command ends with 65. After an interruption, import again. Finished ranges are taken over only \
            when no line is refused. So are the places of receivers, into a store that had no notification before: else a \
            receiver gets everything again. Stop the recorder while a new store is filled.

            Example:
              retentionctl store import notifications.ndjson \\
                --config /etc/retentiond/retentiond.json \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
              retentionctl store import --any-app \\
                --from sqlite:/var/lib/retentiond/store/notifications.db \\
                --store postgresql://db.example.com/retention
            """
    )

    @Argument(help: "The file with the lines; - for standard input.")
    var file: String?

    @Option(help: "Take another store over instead of a file.")
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
        let source = try from.map { try StoreAddress($0) }
        guard source?.resolved != address.resolved else {
            throw ToolError(
                .usage, code: "store.same-store", "the store cannot be imported into itself")
        }
        var reading = try source.map { StoreReading(store: try StoreSelection.open($0, .read)) }
        let importer = try StoreImporter(StoreSelection.open(address, .create), trust)
        if reading != nil {
            var number = 0
            try reading?.forEach { record in
                number += 1
                try importer.take(record, line: number)
            }
            for row in reading?.damaged ?? [] { importer.refuseDamaged(row.kind, row.id) }
        } else if let file {
            try read(file, importer)
        }
        try importer.finish()
        Console.endProgress()
        try report(importer)
    }

    private func read(_ file: String, _ importer: StoreImporter) throws {
        try InputLines.forEach(in: file, lineLimitBytes: Self.lineByteCount) { number, line in
            let line = line.trimmed
            // A line may be a bare JWS.
            let record =
                line.first == UInt8(ascii: "{")
                ? try? JSONDecoder().decode(StoreRecord.self, from: Data(line))
                : StoreRecord(signedPayload: String(decoding: line, as: UTF8.self))
            if let version = record?.version, version > StoreRecord.formatVersion {
                throw ToolError(
                    .data, code: "store.newer-export", "a newer release wrote this export", file: file)
            }
            try importer.take(record ?? StoreRecord(), line: number)
        }
    }

    private func report(_ importer: StoreImporter) throws {
        let findings = importer.refused.map { $0.inFile(file ?? from) }
        if output.json {
            Console.print(.object(importer.counts + [("diagnostics", .array(findings.map(\.json)))]))
            if !findings.isEmpty { throw ExitCode(ExitStatus.data.rawValue) }
            return
        }
        Report(importer.counts).print(json: false)
        guard findings.isEmpty else { throw ToolError(findings) }
    }
}

final class StoreImporter {
    private let store: NotificationStore
    private let trust: PayloadTrust
    private let wasEmpty: Bool
    private var batch: [(line: Int, item: StoreItem)] = []
    private var keys: [[UInt8]] = []
    private var tombstones: [(hash: [UInt8], erasedAt: Int64)] = []
    /// What may be said when every line was taken over.
    private var promises: [(count: Count, store: () throws -> Void)] = []
    private var cursors: [(name: String, last: StoreRecord.Identity)] = []

    private enum Count: String, CaseIterable {
        case stored, alreadyThere, erased, tombstones, deleted, coverage, synchronized, cursors, refused
    }

    private var numbers: [Count: Int] = [:]
    /// True when tombstones were taken over, and rows of their subscribers may still be here.
    private var hasNewTombstones = false
    private var hasEntombed = false
    private var lineCount = 0
    private(set) var refused: [Finding] = []

    init(_ store: NotificationStore, _ trust: PayloadTrust) throws {
        self.store = store
        self.trust = trust
        wasEmpty = try store.greatestID(.notification) == 0
    }

    var counts: [(String, JSONNode)] {
        Count.allCases.map { ($0.rawValue, JSONNode(numbers[$0] ?? 0)) }
    }

    /// Takes one record over. What is refused is counted, and the next record can follow.
    func take(_ record: StoreRecord, line: Int) throws {
        if record.format == StoreRecord.formatName, record.version ?? 0 > 0 {
            return
        } else if let key = record.tombstoneKey.flatMap({ Hexadecimal.decode($0) }), key.count == 32 {
            keys.append(key)
        } else if let hash = record.tombstone.flatMap({ Hexadecimal.decode($0) }), hash.count == 32,
            let time = record.erasedAt
        {
            tombstones.append((hash, time))
            if tombstones.count >= Self.tombstoneBatchCount { try storeTombstones() }
        } else if let app = record.coverage, let environment = record.environment, let from = record.from,
            let to = record.to, from < to, let end = record.finishedAt
        {
            let range = TimeRange(from: from, to: to)
            promises.append(
                (
                    .coverage,
                    { [store] in try store.cover(app: app, environment: environment, range, finishedAt: end) }
                ))
        } else if let id = record.synchronized, let app = record.app, let environment = record.environment,
            let time = record.at
        {
            promises.append(
                (
                    .synchronized,
                    { [store] in
                        try store.rememberSynchronization(
                            of: [id], app: app, environment: environment, at: time)
                    }
                ))
        } else if let name = record.cursor {
            if let last = record.after { cursors.append((name, last)) }
        } else {
            try takeJWS(record, line: line)
        }
    }

    private func takeJWS(_ record: StoreRecord, line: Int) throws {
        try storeTombstones()
        // Not after each tombstone among the rows: it goes through all identifiers of the store.
        if !hasEntombed { try eraseEntombed() }
        do {
            guard let item = try item(record) else {
                let words = "neither a line of an export nor a request body nor a JWS"
                return refuse(code: "store.bad-line", words, line: line)
            }
            batch.append((line, item))
        } catch  where error is VerificationError || error is ToolError {
            for finding in ToolError(error).findings {
                refuse(code: finding.code, finding.message, line: line)
            }
        }
        if batch.count >= Self.batchCount { try storeBatch() }
    }

    func finish() throws {
        try storeTombstones()
        try storeBatch()
        try eraseEntombed()
        guard refused.isEmpty else { return }
        for promise in promises {
            try promise.store()
            numbers[promise.count, default: 0] += 1
        }
        if wasEmpty { try storeCursors() }
    }

    /// Takes over up to where receivers have every notification. The import stores them in the order of the other store.
    private func storeCursors() throws {
        for entry in cursors where try store.cursor(named: entry.name) == nil {
            var filter = NotificationFilter()
            (filter.uuid, filter.app, filter.environment) = (
                entry.last.notificationUUID, entry.last.app, entry.last.environment
            )
            guard let row = try store.notifications(filter, StorePage(count: 1)).rows.first else { continue }
            try store.setCursor(StoreCursor(position: row.id), named: entry.name)
            numbers[.cursors, default: 0] += 1
        }
    }

    func refuseDamaged(_ kind: StoredJWS.Kind, _ id: Int64) {
        refuse(code: NotificationStoreError.incompleteRow.code, "\(kind.rawValue) \(id)", line: nil)
    }

    func refuse(code: String, _ message: String, line: Int?) {
        numbers[.refused, default: 0] += 1
        guard refused.count < Self.findingCount else { return }
        refused.append(Finding(code: code, message, line: line))
    }

    private static let findingCount = 100
    private static let tombstoneBatchCount = 256
    /// So that the recorder waits for a transaction for at most about 50 ms.
    private static let batchCount = 128

    private func item(_ record: StoreRecord) throws -> StoreItem? {
        let now = Clock.wallMilliseconds()
        if let body = record.signedPayload {
            return StoreItem(
                try trust.notification(Array(body.utf8), now: now), source: .import, receivedAt: now)
        }
        guard let kind = StoredJWS.Kind.allCases.first(where: { record[$0] != nil }), let text = record[kind],
            let app = record.app, let environment = record.environment, let source = record.source,
            let time = record.receivedAt
        else { return nil }
        let jws = Array(text.utf8)
        if kind == .notification {
            return StoreItem(try trust.notification(jws, now: now), source: source, receivedAt: time)
        }
        return try trust.item(kind, jws, of: (app, environment), now: now, origin: (source, time))
    }

    private func storeTombstones() throws {
        guard !keys.isEmpty || !tombstones.isEmpty else { return }
        try store.add(StoreTombstones(keys: keys, entries: tombstones))
        numbers[.tombstones, default: 0] += tombstones.count
        hasNewTombstones = hasNewTombstones || !tombstones.isEmpty
        (keys, tombstones) = ([], [])
    }

    private func eraseEntombed() throws {
        guard hasNewTombstones else { return }
        numbers[.deleted, default: 0] += try store.eraseEntombed().rowCount
        hasNewTombstones = false
        hasEntombed = true
    }

    private func storeBatch() throws {
        guard !batch.isEmpty else { return }
        for (entry, outcome) in zip(batch, store.store(batch.map(\.item))) {
            switch outcome {
            case .stored: numbers[.stored, default: 0] += 1
            case .alreadyThere: numbers[.alreadyThere, default: 0] += 1
            case .tombstoned: numbers[.erased, default: 0] += 1
            case .notStored(let error):
                guard error.isAboutItem else { throw error }
                refuse(code: error.code, error.description, line: entry.line)
            }
        }
        lineCount += batch.count
        batch.removeAll(keepingCapacity: true)
        Console.progress("\(lineCount) lines")
        // Others that wait for the lock get it in between.
        StoreTiming.system.sleep(1)
    }
}
