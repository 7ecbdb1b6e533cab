internal import JSON
internal import NotificationStore
internal import SQL
internal import System
internal import Vocabulary

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

    /// What became of the lines.
    var counts: [(name: String, title: String, count: Int)] {
        [
            ("stored", "stored", storedCount), ("alreadyThere", "already there", knownCount),
            ("erased", "dropped, of erased subscribers", erasedCount),
            ("tombstones", "tombstones", tombstoneCount),
            ("deleted", "deleted, of subscribers erased elsewhere", deletedCount),
            ("coverage", "finished ranges", coverageCount),
            ("synchronized", "whole histories", synchronizationCount),
            ("cursors", "places of other work", cursorCount), ("refused", "refused", refusedCount),
        ]
    }

    /// Takes one record over. What is refused is noted, and the next record can follow.
    ///
    /// - Throws: errors of the database.
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
            } catch let error as RefusedPayload {
                refuse(code: error.code, error.description, line: line)
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

    /// Notes a row of another store that cannot be rebuilt.
    func noteDamaged(_ kind: StoredJWS.Kind, _ id: Int64) {
        refuse(code: NotificationStoreError.incompleteRow.code, "\(kind.rawValue) \(id)", line: nil)
    }

    /// Notes a line that is not taken over.
    func refuse(code: String, _ message: String, line: Int?) {
        refusedCount += 1
        guard refused.count < Self.findingCount else { return }
        refused.append(Finding(code: code, message, line: line))
    }

    /// The most refused lines that are reported one by one.
    private static let findingCount = 100
    private static let tombstoneBatchCount = 256
    private static let greatestBatchCount = 256

    private func item(_ record: StoreRecordJWS) throws -> StoreItem {
        let now = Clock.wallMilliseconds()
        guard record.kind == .notification else {
            guard let place = record.place else { throw RefusedPayload(StoreToolError.badLine) }
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
                guard error.isAboutItem else { throw ToolFailure(error) }
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
