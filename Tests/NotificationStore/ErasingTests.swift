import NotificationStore
import SQL
import Support
import Testing

@Suite("Erasing a subscriber")
struct ErasingTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    /// The subscriber who is erased, and one who stays.
    private static let erased = 77_001
    private static let other = 77_002

    private func period(_ number: Int, of subscriber: Int) -> Sample.Period {
        Sample.Period(number: number, subscriber: subscriber)
    }

    /// Items of both subscribers, in turn.
    private func items(_ count: Int) throws -> [StoreItem] {
        try (1...count).map { try sample.renewed(period($0, of: $0 % 2 == 0 ? Self.erased : Self.other)) }
    }

    @Test(
        "deletes every row of the subscriber and of nobody else, and keeps everything out that comes again",
        arguments: StoreSystem.allCases
    )
    func erasing(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let items = try items(40)
        #expect(store.store(items).allSatisfy { $0 == .stored })
        let last = period(2, of: Self.erased)
        let download = try sample.item(sample.appTransaction(last))
        #expect(store.store([download]) == [.stored])
        let report = try store.erase(.originalTransaction(last.originalTransactionID))
        #expect(report.notificationCount == 20 && report.transactionCount == 20 && report.renewalCount == 20)
        #expect(
            report.linkedAppTransactionIDs == [last.appTransactionID]
                && report.linkedOriginalTransactionIDs.isEmpty
        )
        let stay = items.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        #expect(try store.everyJWS() == stay.map(\.jws))
        #expect(try store.everyJWS(.transaction).count == 20)
        // A retry of Apple, its history, an import and the API.
        let again = try place.open()
        #expect(
            again.store(Array(items.prefix(4))) == [.alreadyThere, .tombstoned, .alreadyThere, .tombstoned]
        )
        let new = try sample.renewed(period(1000, of: Self.erased), source: .import)
        let part = try sample.transaction(period(1001, of: Self.erased))
        let renewal = try sample.renewal(period(1002, of: Self.erased))
        let outcomes = again.store([
            new,
            sample.item(part),
            sample.item(renewal),
            try sample.renewed(period(1003, of: Self.other)),
        ])
        #expect(outcomes == [.tombstoned, .tombstoned, .tombstoned, .stored])
        // The download may belong to other subscriptions of the same person, so it is erased by its own identifier.
        let more = try store.erase(.appTransaction(last.appTransactionID))
        #expect(more.appTransactionCount == 1 && more.rowCount == 1)
        #expect(store.store([download]) == [.tombstoned])
        #expect(try store.erase(.originalTransaction(last.originalTransactionID)).rowCount == 0)
        #expect(try store.statistics().tombstoneCount == 2)
    }

    @Test(
        "erases a customer with all subscriptions by the identifier of the download")
    func customer() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let items = try items(10)
        #expect(store.store(items).allSatisfy { $0 == .stored })
        let gone = period(2, of: Self.erased)
        let report = try store.erase(.appTransaction(gone.appTransactionID))
        #expect(report.notificationCount == 5 && report.transactionCount == 5 && report.renewalCount == 5)
        #expect(report.erasedOriginalTransactionIDs == [gone.originalTransactionID])
        #expect(report.linkedOriginalTransactionIDs.isEmpty && report.linkedAppTransactionIDs.isEmpty)
        #expect(store.store([items[1]]) == [.tombstoned])
    }

    @Test("finds a subscription under the identifier that it had before")
    func previousIdentifier() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let old = period(1, of: Self.erased)
        let new = period(2, of: Self.other)
        let transaction = try sample.transaction(new) {
            $0.previousOriginalTransactionID = old.originalTransactionID
        }
        let text = String(decoding: transaction.jws, as: UTF8.self)
        var moved = try sample.outer(
            new, type: "MIGRATION", member: "data", content: #""signedTransactionInfo":"\#(text)""#)
        moved.transaction = sample.nested(transaction, in: moved)
        let item = sample.item(moved)
        let later = try sample.renewed(period(4, of: Self.other))
        #expect(store.store([try sample.renewed(old), item, later]) == [.stored, .stored, .stored])
        let report = try store.erase(.originalTransaction(old.originalTransactionID))
        #expect(report.notificationCount == 2 && report.transactionCount == 2 && report.renewalCount == 1)
        #expect(report.linkedOriginalTransactionIDs == [new.originalTransactionID])
        #expect(store.store([item, later]) == [.tombstoned, .alreadyThere])
        #expect(try store.everyJWS() == [later.jws])
    }

    @Test("finds the identifier inside of parts that failed their check")
    func insideOfFaultyParts() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let gone = period(1, of: Self.erased)
        let nested = String(decoding: try sample.transaction(gone).jws, as: UTF8.self)
        var faulty = try sample.outer(
            gone, type: "DID_RENEW", member: "data", content: #""signedTransactionInfo":"\#(nested)""#)
        faulty.transaction = .faulty(code: "signature-invalid")
        let item = sample.item(faulty)
        let stays = try sample.test(5)
        #expect(store.store([item, stays]) == [.stored, .stored])
        let report = try store.erase(.originalTransaction(gone.originalTransactionID))
        #expect(report.notificationCount == 1)
        #expect(store.store([item, stays]) == [.tombstoned, .alreadyThere])
    }

    @Test("refuses identifiers that nobody can have")
    func arguments() throws {
        let store = try TestStore(.sqlite).open()
        for id in ["", String(repeating: "1", count: 513), "1\u{0}2"] {
            #expect(throws: NotificationStoreError.badArgument) { try store.erase(.originalTransaction(id)) }
        }
    }

    @Test("can be taken over by another store", arguments: StoreSystem.allCases, StoreSystem.allCases)
    func takingOver(from: StoreSystem, to: StoreSystem) throws {
        let (source, target) = (try TestStore(from), try TestStore(to))
        let first = try source.open()
        for subscriber in 1...5 {
            _ = try first.erase(.originalTransaction(period(1, of: subscriber).originalTransactionID))
        }
        let second = try target.open()
        _ = try second.erase(.originalTransaction(period(1, of: 6).originalTransactionID))
        var after: [UInt8] = []
        var count = 0
        while true {
            let page = try first.tombstones(after: after, count: 2)
            try second.add(page)
            count += page.entries.count
            guard let last = page.entries.last else { break }
            #expect(last.erasedAt == TestStore.now)
            after = last.hash
        }
        #expect(count == 5)
        for subscriber in 1...7 {
            let outcome = second.store([try sample.renewed(period(subscriber, of: subscriber))])
            #expect(outcome == [subscriber == 7 ? .stored : .tombstoned])
        }
        let bad = StoreTombstones(keys: [[1]], entries: [])
        #expect(throws: NotificationStoreError.badArgument) { try second.add(bad) }
    }

    @Test("leaves nothing of the subscriber in the files after a compaction")
    func rawFiles() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        var gone: [String] = []
        for batch in 0..<6 {
            var items: [StoreItem] = []
            for number in 1...50 {
                let period = period(batch * 100 + number, of: number % 5 == 0 ? Self.erased : number)
                items.append(try sample.renewed(period))
                if number % 5 == 0 {
                    gone += [
                        period.originalTransactionID, period.transactionID, period.uuid,
                        period.appTransactionID,
                    ]
                }
            }
            #expect(store.store(items).allSatisfy { $0 == .stored })
            // A reader that stands still makes the log grow, and keeps old pages in it.
            if batch == 3 { try store.checkpoint() }
        }
        gone = Set(gone).sorted()
        let stay = period(1, of: 1).originalTransactionID
        #expect(try Self.found(gone + [stay], in: place) == Set(gone + [stay]))
        let report = try store.erase(.originalTransaction(period(1, of: Self.erased).originalTransactionID))
        #expect(report.notificationCount == 60)
        // The negative control: deleted rows stay in the log until the compaction.
        #expect(try !Self.found(gone, in: place).isEmpty)
        try store.compact()
        #expect(try Self.found(gone + [stay], in: place) == [stay])
        #expect(try store.size().logByteCount == 0 && store.size().freeByteCount == 0)
        #expect(try store.check().isEmpty && store.everyJWS().count == 240)
        // Nothing comes back through another connection, a retry or the next checkpoint.
        let retry = try sample.renewed(period(5, of: Self.erased))
        #expect(try place.open().store([retry]) == [.tombstoned])
        try store.checkpoint()
        #expect(try Self.found(gone, in: place).isEmpty)
    }

    /// Returns those identifiers that occur in the files of a store: as text, as a number of either byte order, or in
    /// base64 at any of its three alignments.
    private static func found(_ identifiers: [String], in place: TestStore) throws -> Set<String> {
        // Another process copies the files: if this one opened and closed them, SQLite would lose its locks.
        let copies = try TemporaryDirectory()
        let run = try ProgramRun.run("sh", ["-c", "cp \(place.path)* \(copies.path)"])
        #expect(run.status == 0, "\(run.errors)")
        var bytes = try copies.read("store.db")
        for suffix in ["-wal", "-shm"] { bytes += (try? copies.read("store.db\(suffix)")) ?? [] }
        return Set(identifiers.filter { RawIdentifier.occurs($0, in: bytes) })
    }
}
