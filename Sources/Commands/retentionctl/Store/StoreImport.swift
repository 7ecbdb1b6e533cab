internal import ArgumentParser
internal import CommandLineTool
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
        let source = try from.map { try StoreAddress($0) }
        guard source?.resolved != address.resolved else {
            throw ToolError(
                .usage, code: "store.same-store", "the store cannot be imported into itself")
        }
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
        try InputLines.forEach(in: file, lineLimitBytes: Self.lineByteCount) { number, line in
            guard let record = StoreRecord(line: Whitespace.trimmed(line), receivedAt: now) else {
                let words = "neither a line of an export nor a request body nor a JWS"
                return importer.refuse(code: "store.bad-line", words, line: number)
            }
            if case .format(let version) = record, version > StoreRecord.formatVersion {
                throw ToolError(
                    .data, code: "store.newer-export", "a newer release wrote this export", file: file)
            }
            try importer.take(record, line: number)
        }
    }

    private func report(_ importer: StoreImporter) throws {
        let findings = importer.refused.map { $0.inFile(file ?? from) }
        if output.json {
            Console.print(.object(importer.counts + [("diagnostics", .array(findings.map(\.json)))]))
            if importer.refusedCount > 0 { throw ExitCode(ExitStatus.data.rawValue) }
            return
        }
        Report(importer.counts).print(json: false)
        guard importer.refusedCount == 0 else { throw ToolError(findings) }
    }
}

/// Puts records into a store: verifies each JWS, and stores batches in short transactions.
final class StoreImporter {
    private let store: NotificationStore
    private let trust: PayloadTrust
    private var beginning = ImportedBeginning()
    private var batch: [(line: Int, item: StoreItem)] = []
    private var batchCount = 8
    private var keys: [[UInt8]] = []
    private var tombstones: [(hash: [UInt8], erasedAt: Int64)] = []
    private var coverage: [(app: String, environment: String, range: TimeRange, finishedAt: Int64)] = []
    private var synchronizations: [(id: String, app: String, environment: String, at: Int64)] = []
    private var cursors: [(name: String, cursor: StoreCursor, last: StoredNotification.Identity?)] = []

    private var storedCount = 0
    private var knownCount = 0
    private var erasedCount = 0
    private var tombstoneCount = 0
    /// True when tombstones were taken over, and rows of their subscribers may still be here.
    private var hasNewTombstones = false
    private var hasEntombed = false
    private var deletedCount = 0
    private var coverageCount = 0
    private var synchronizationCount = 0
    private var cursorCount = 0
    /// The lines that were refused, and the first of them as findings.
    private(set) var refusedCount = 0
    private(set) var refused: [Finding] = []

    init(_ store: NotificationStore, _ trust: PayloadTrust) throws {
        self.store = store
        self.trust = trust
    }

    var counts: [(String, JSONNode)] {
        let counts = [
            ("stored", storedCount), ("alreadyThere", knownCount), ("erased", erasedCount),
            ("tombstones", tombstoneCount), ("deleted", deletedCount), ("coverage", coverageCount),
            ("synchronized", synchronizationCount), ("cursors", cursorCount), ("refused", refusedCount),
        ]
        return counts.map { ($0.0, .integer(Int64($0.1))) }
    }

    /// Takes one record over. What is refused is noted, and the next record can follow.
    func take(_ record: StoreRecord, line: Int) throws {
        switch record {
        case .format: break
        case .tombstoneKey(let key): keys.append(key)
        case .tombstone(let hash, let erasedAt):
            tombstones.append((hash, erasedAt))
            if tombstones.count >= Self.tombstoneBatchCount { try storeTombstones() }
        case .coverage(let app, let environment, let range, let finishedAt):
            coverage.append((app, environment, range, finishedAt))
        case .synchronization(let id, let app, let environment, let time):
            synchronizations.append((id, app, environment, time))
        case .cursor(let name, let cursor, let last): cursors.append((name, cursor, last))
        case .jws(let record):
            try storeTombstones()
            // Not after each tombstone among the rows: it goes through all identifiers of the store.
            if !hasEntombed { try eraseEntombed() }
            do {
                batch.append((line, try item(record)))
            } catch  where error is VerificationError || error is ToolError {
                for finding in ToolError(error).findings {
                    refuse(code: finding.code, finding.message, line: line)
                }
            }
            if batch.count >= batchCount { try storeBatch() }
        }
    }

    /// Stores what is left, then what only a complete import may say.
    func finish() throws {
        try storeTombstones()
        try storeBatch()
        try eraseEntombed()
        if refusedCount == 0 {
            for entry in coverage {
                let range = entry.range
                try store.cover(
                    app: entry.app, environment: entry.environment, range, finishedAt: entry.finishedAt)
                coverageCount += 1
            }
            for entry in synchronizations {
                try store.noteSynchronization(
                    of: [entry.id], app: entry.app, environment: entry.environment, at: entry.at)
                synchronizationCount += 1
            }
        }
        try storeCursors()
    }

    /// Takes places of other work over, but none that the store has itself.
    private func storeCursors() throws {
        for entry in cursors where try store.cursor(named: entry.name) == nil {
            var cursor = entry.cursor
            if entry.name.hasPrefix(StoreCursor.forwardPrefix) {
                guard let place = try place(of: entry.last) else { continue }
                cursor.position = place
            } else {
                guard refusedCount == 0 else { continue }
            }
            try store.setCursor(cursor, named: entry.name)
            cursorCount += 1
        }
    }

    /// Returns the number up to which a receiver has every notification, when the other store passed on those up to `last`;
    /// nil when it has none for certain, or when the last one is not here.
    private func place(of last: StoredNotification.Identity?) throws -> Int64? {
        guard let last else { return 0 }
        var filter = NotificationFilter()
        filter.uuid = last.uuid
        filter.app = last.app
        filter.environment = last.environment
        guard let row = try store.notifications(filter, StorePage(count: 1)).rows.first,
            beginning.position > 0
        else { return nil }
        return min(row.id, beginning.position)
    }

    func noteDamaged(_ kind: StoredJWS.Kind, _ id: Int64) {
        refuse(code: NotificationStoreError.incompleteRow.code, "\(kind.rawValue) \(id)", line: nil)
    }

    func refuse(code: String, _ message: String, line: Int?) {
        refusedCount += 1
        guard refused.count < Self.findingCount else { return }
        refused.append(Finding(code: code, message, line: line))
    }

    private static let findingCount = 100
    private static let tombstoneBatchCount = 256
    private static let greatestBatchCount = 256

    private func item(_ record: StoreRecordJWS) throws -> StoreItem {
        let now = Clock.wallMilliseconds()
        if record.kind != .notification, let place = record.place {
            let origin = (record.source, record.receivedAt)
            return try trust.part(record.kind, record.jws, of: place, now: now, origin: origin)
        }
        let verified = try trust.notification(record.jws, now: now)
        return StoreItem(verified, source: record.source, receivedAt: record.receivedAt)
    }

    private func storeTombstones() throws {
        guard !keys.isEmpty || !tombstones.isEmpty else { return }
        try store.add(StoreTombstones(keys: keys, entries: tombstones))
        tombstoneCount += tombstones.count
        hasNewTombstones = hasNewTombstones || !tombstones.isEmpty
        (keys, tombstones) = ([], [])
    }

    /// Deletes what the store has of subscribers whose tombstones were taken over.
    private func eraseEntombed() throws {
        guard hasNewTombstones else { return }
        deletedCount += try store.eraseEntombed().rowCount
        hasNewTombstones = false
        hasEntombed = true
    }

    /// Stores the batch. Its size follows the time that the last one took, so that the recorder waits 50 ms at most.
    private func storeBatch() throws {
        guard !batch.isEmpty else { return }
        let start = Clock.monotonicNanoseconds()
        let outcomes = store.store(batch.map(\.item))
        let milliseconds = (Clock.monotonicNanoseconds() - start) / 1_000_000
        var here: [StoredNotification.Identity] = []
        for (entry, outcome) in zip(batch, outcomes) {
            if case .notification(let notification) = entry.item.content, outcome.isSettled,
                outcome != .tombstoned
            {
                here.append(notification.identity)
            }
            switch outcome {
            case .stored: storedCount += 1
            case .alreadyThere: knownCount += 1
            case .tombstoned: erasedCount += 1
            case .notStored(let error):
                guard error.isAboutItem else { throw error }
                refuse(code: error.code, error.description, line: entry.line)
            }
        }
        try beginning.follow(here, in: store)
        batch.removeAll(keepingCapacity: true)
        if milliseconds > 25 { batchCount = max(1, batchCount / 2) }
        if milliseconds < 10 { batchCount = min(Self.greatestBatchCount, batchCount * 2) }
        Console.progress("\(storedCount + knownCount + erasedCount) lines")
        // Others that wait for the lock get it in between.
        StoreTiming.system.sleep(1)
    }
}

/// The notifications at the beginning of a store that are those of an import, in the import's order.
///
/// Another store's place of forwarding says that a receiver has everything up to a notification. Here that holds only as far
/// as no notification came from elsewhere, such as from a recorder that works during the import.
struct ImportedBeginning {
    /// The number up to which every notification is one of the import.
    private(set) var position: Int64 = 0
    private var isOver = false

    /// Goes on with the next notifications of the import, which the store has by now.
    mutating func follow(_ identities: [StoredNotification.Identity], in store: NotificationStore) throws {
        guard !isOver, !identities.isEmpty else { return }
        // Behind this, no notification gets a number before those that are read now.
        _ = try store.settledNotificationID()
        var rest = identities[...]
        while !rest.isEmpty {
            let page = StorePage(after: position, count: rest.count)
            let rows = try store.notifications(NotificationFilter(), page).rows
            for row in rows {
                let identity = StoredNotification.Identity(
                    app: row.app, environment: row.environment, uuid: row.uuid)
                guard rest.popFirst() == identity else {
                    isOver = true
                    return
                }
                position = row.id
            }
            guard !rows.isEmpty else {
                isOver = true
                return
            }
        }
    }
}
