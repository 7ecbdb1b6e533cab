import NotificationStore
import SQL
import SubscriberHistory
import Support
import System
import Testing

@Suite("A refresh of the states of subscribers")
struct RefreshTests {
    private final class Clock { var time: Int64 = 0 }

    @Test("deletes nothing that another program is about to read")
    func locked() throws {
        let folder = try TemporaryDirectory()
        let address = try StoreAddress("sqlite:\(folder.path(of: "store.db"))")
        let store = try NotificationStore(address, StoreOptions(access: .create))
        try store.write(
            [SubscriberState(originalTransactionID: "1", bytes: [1], sources: [], downloads: [])],
            app: "a",
            environment: "Sandbox"
        )
        let lock = try HistoryRefresh(store, app: "a", environment: "Sandbox").lock()
        let clock = Clock()
        var timing = StoreTiming.system
        timing.elapsed = { clock.time }
        timing.sleep = { clock.time += $0 }
        let other = try NotificationStore(address, StoreOptions(access: .write), timing: timing)
        let refresh = HistoryRefresh(other, app: "a", environment: "Sandbox")
        #expect(throws: NotificationStoreError.statesLocked) { try refresh.run(isFull: true) }
        #expect(try store.states(app: "a", environment: "Sandbox").states.count == 1)
        try lock.release()
        // The subscriber has no rows, so no state either.
        #expect(try refresh.run(isFull: true).derivedCount == 0)
        #expect(try store.states(app: "a", environment: "Sandbox").states.isEmpty)
    }

    /// A store with some subscribers, and their states.
    private func filled() throws -> IncrementalBed {
        let worlds = WorldTests.worlds[0].prefix(100)
        var bed = try IncrementalBed(.sqlite, Array(worlds), SeededGenerator(seed: 14))
        try bed.deliver(bed.rest.count)
        #expect(try bed.refresh.run().isFull)
        return bed
    }

    @Test(
        "is followed by one that derives all states when old rows were deleted meanwhile",
        arguments: [true, false]
    )
    func prunedMeanwhile(isFull: Bool) throws {
        let bed = try filled()
        #expect(try !bed.refresh.run().isFull)
        var deleted: Int?
        _ = try bed.refresh.run(isFull: isFull) { _ in
            guard deleted == nil else { return }
            deleted = try? bed.aside.prune(receivedBefore: .max, keepingTypes: HistoryFacts.neededTypes)
        }
        #expect(deleted ?? 0 > 0)
        #expect(try bed.refresh.run().isFull)
        #expect(try !bed.refresh.run().isFull)
    }

    @Test("that did not end is followed by one that derives all states")
    func unfinished() throws {
        let bed = try filled()
        let names = try bed.store.cursorNames()
        var meanwhile: [StoreCursor?] = []
        _ = try bed.refresh.run(isFull: true) { _ in
            meanwhile = names.map { try? bed.aside.cursor(named: $0) }
        }
        for (name, cursor) in zip(names, meanwhile) {
            try bed.store.setCursor(#require(cursor), named: name)
        }
        #expect(try bed.refresh.run().isFull)
    }

    /// A subscription with rows, and the one before its move to Advanced Commerce.
    private func moved(in bed: IncrementalBed) throws -> (old: String, new: String) {
        let states = try bed.states()
        let old = try #require(
            bed.left.first { bed.leftLate.contains($0) && states["2000" + $0.suffix(7)] != nil }
        )
        return (old, "2000" + old.suffix(7))
    }

    @Test("derives a state as often as an erasure makes it outdated, and knows when that is too often")
    func outdatedAgain() throws {
        let bed = try filled()
        let (old, new) = try moved(in: bed)
        let lock = try bed.refresh.lock()
        var isErased = false
        let found = try bed.refresh.derive(outdated: [new], holding: lock) {
            guard !isErased else { return }
            isErased = true
            do { _ = try bed.aside.erase(.originalTransaction(old)) } catch { Issue.record(error) }
        }
        #expect(isErased && found.outdatedIDs.isEmpty)
        #expect(found.states.map(\.originalTransactionID) == [new])
        try lock.release()
        let states = try bed.states()
        #expect(states[new] == found.states.first?.bytes)
        _ = try bed.refresh.run(isFull: true)
        #expect(try bed.states() == states)
    }

    @Test("leaves out what an erasure has not deleted yet", arguments: [true, false])
    func underWay(isDownload: Bool) throws {
        let bed = try filled()
        let (old, new) = try moved(in: bed)
        let subject =
            isDownload ? ErasureSubject.appTransaction("70" + old.dropFirst(4)) : .originalTransaction(old)
        _ = try bed.elsewhere.erase(subject)
        try bed.store.add(bed.elsewhere.tombstones())
        let now = Life.birth + 5000 * Life.day
        let early = try bed.refresh.facts(of: [new], at: now)
        let lock = try bed.refresh.lock()
        let found = try bed.refresh.derive(outdated: [new], holding: lock)
        try lock.release()
        #expect(found.outdatedIDs.isEmpty)
        // The download is that of both subscriptions. The transactions that name the old one are from after its erasure.
        #expect(found.states.map(\.originalTransactionID) == (isDownload ? [] : [new]))
        _ = try bed.store.eraseEntombed()
        _ = try bed.refresh.run(isFull: true)
        #expect(try bed.states()[new] == found.states.first?.bytes)
        #expect(try bed.refresh.facts(of: [new], at: now) == early)
    }

    @Test("leaves a subscriber without facts who has too many rows, and no other")
    func tooManyRows() throws {
        let bed = try filled()
        let before = try bed.states()
        let id = try #require(before.keys.sorted().first)
        guard case .sqlite(let path) = bed.store.address else { return }
        try SQLiteConnection(path: path, SQLiteOptions(access: .write)).run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 33000)
            INSERT INTO notifications (app, environment, uuid, source, received_at, original_transaction_id)
            SELECT ?, ?, 'many' || i, 'push', 0, ? FROM n
            """,
            [.text(DeliveryDesk.app), .text(DeliveryDesk.environment), .text(id)]
        )
        let report = try bed.refresh.run()
        #expect(!report.isFull && report.tooLargeCount >= 1 && report.derivedCount >= 1)
        let after = try bed.states()
        // A successor needs the rows of its predecessor.
        let lost = Set(after.filter { $0.value == FactPieces.tooLarge }.keys)
        #expect(lost.contains(id) && lost.count == report.tooLargeCount)
        #expect(after.filter { !lost.contains($0.key) } == before.filter { !lost.contains($0.key) })
        #expect(after.keys.sorted() == before.keys.sorted())
        #expect(try bed.refresh.run(isFull: true).tooLargeCount == report.tooLargeCount)
        #expect(try bed.states() == after)
        #expect(throws: NotificationStoreError.tooManyRows) { try bed.refresh.payloads(of: id) }
    }

    @Test(
        "derives the states of many subscribers over several connections, or over one",
        arguments: [true, false]
    )
    func manyPages(hasMoreConnections: Bool) throws {
        // Five pages: more than the connections take at a time.
        let short = WorldTests.worlds[0].filter { 2...3 ~= $0.life.payloads.transactions.count }.prefix(4)
        let worlds = (0..<1100).map { short[$0 % short.count] }
        var bed = try IncrementalBed(.sqlite, worlds, SeededGenerator(seed: 15))
        try bed.deliver(bed.rest.count)
        #expect(try bed.refresh.run().isFull)
        let states = try bed.states()
        #expect(states.count > 4 * NotificationStore.subscriberPageCount)
        guard case .sqlite(let path) = bed.store.address else { return }
        let connection = try SQLiteConnection(path: path, SQLiteOptions(access: .write))
        try connection.run("UPDATE subscriber_states SET state = NULL")
        // A file of another program is not opened, and the connections that are open go on.
        if !hasMoreConnections { try connection.run("PRAGMA application_id = 7") }
        #expect((SideConnection(beside: bed.store) != nil) == hasMoreConnections)
        let report = try bed.refresh.run()
        #expect(!report.isFull && report.derivedCount == states.count)
        #expect(try bed.states() == states)
        #expect(try bed.refresh.run(isFull: true).derivedCount == states.count)
        #expect(try bed.states() == states)
    }

    @Test("reads over a side connection, whose failure is no value")
    func sideConnection() throws {
        let bed = try filled()
        let side = try #require(SideConnection(beside: bed.store))
        let page = side.begin { store throws(NotificationStoreError) in
            try store.states(app: DeliveryDesk.app, environment: DeliveryDesk.environment)
        }
        #expect(try #require(page?.join() ?? nil).states.count == bed.states().count)
        let failed = side.begin { _ throws(NotificationStoreError) -> Int in throw .badArgument }
        #expect(try #require(failed).join() == .some(nil))
    }
}
