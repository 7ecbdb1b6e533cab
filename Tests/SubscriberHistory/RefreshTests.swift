import NotificationStore
import SQL
import SubscriberHistory
import Support
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
        let worlds = WorldTests.worlds[0].prefix(30)
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
        let lost = Set(before.keys).subtracting(after.keys)
        #expect(lost.contains(id) && lost.count == report.tooLargeCount)
        #expect(after == before.filter { !lost.contains($0.key) })
        #expect(try bed.refresh.run(isFull: true).tooLargeCount == report.tooLargeCount)
        #expect(try bed.states() == after)
        #expect(throws: NotificationStoreError.tooManyRows) { try bed.refresh.payloads(of: id) }
    }
}
