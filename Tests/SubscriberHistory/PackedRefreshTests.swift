import NotificationStore
import SQL
import SubscriberHistory
import Support
import Testing

@Suite("A refresh of states whose rows are kept with them", .timeLimit(.minutes(5)))
struct PackedRefreshTests {
    /// Subscribers of whom half the notifications came before the first refresh, and half after it.
    private func bed(_ system: BedSystem) throws -> IncrementalBed {
        let worlds = WorldTests.worlds[1].prefix(system == .sqlite ? 60 : 20)
        var bed = try IncrementalBed(system, Array(worlds), SeededGenerator(seed: 21))
        let half = bed.rest.count / 2
        try bed.deliver(half)
        #expect(try bed.refresh.run().isFull)
        return bed
    }

    private func connection(_ bed: IncrementalBed) throws -> any SQLConnection {
        switch bed.store.address {
        case .sqlite(let path): try SQLiteConnection(path: path, SQLiteOptions(access: .write))
        case .postgreSQL(let uri): try PostgreSQLConnection(address: uri)
        }
    }

    @Test("reads only the rows that came since", arguments: BedSystem.allCases)
    func kept(system: BedSystem) throws {
        var bed = try bed(system)
        var other = try self.bed(system)
        // Behind the back of the program. It would see it if it read the old rows.
        let connection = try connection(bed)
        for table in ["transactions", "renewals", "notifications"] as [SQLText] {
            try connection.run("DELETE FROM " + table)
        }
        try bed.deliver(bed.rest.count)
        try other.deliver(other.rest.count)
        for bed in [bed, other] { #expect(try !bed.refresh.run().isFull) }
        let (states, expected) = (try bed.states(), try other.states())
        // Those who moved to Advanced Commerce need the rows of another subscription, which are gone.
        let moved = Set(bed.left + bed.left.map { "2000" + $0.suffix(7) })
        let ids = expected.keys.filter { !moved.contains($0) }
        #expect(ids.count > 10)
        for id in ids { #expect(states[id] == expected[id], "\(id)") }
    }

    @Test("reads all rows of those whose kept rows are damaged", arguments: BedSystem.allCases)
    func damaged(system: BedSystem) throws {
        var bed = try bed(system)
        let connection = try connection(bed)
        let half: SQLText =
            system == .sqlite
            ? "substr(state, 1, length(state) - 1)"
            : "substring(state from 1 for octet_length(state) - 1)"
        try connection.run("UPDATE subscriber_states SET state = " + half)
        try bed.deliver(bed.rest.count)
        #expect(try !bed.refresh.run().isFull)
        let states = try bed.states()
        _ = try bed.refresh.run(isFull: true)
        for (id, bytes) in try bed.states() { #expect(states[id] == bytes, "\(id)") }
    }

    @Test("gives the same states when the end of a refresh was lost", arguments: BedSystem.allCases)
    func lostEnd(system: BedSystem) throws {
        var bed = try bed(system)
        let names = try bed.store.cursorNames()
        let before = try names.map { try bed.store.cursor(named: $0) }
        try bed.deliver(bed.rest.count / 2)
        #expect(try !bed.refresh.run().isFull)
        // The states go further than the mark says, as after a power cut.
        for (name, cursor) in zip(names, before) { try bed.store.setCursor(#require(cursor), named: name) }
        try bed.deliver(bed.rest.count)
        let report = try bed.refresh.run()
        #expect(!report.isFull && report.derivedCount > 10)
        let states = try bed.states()
        _ = try bed.refresh.run(isFull: true)
        #expect(try bed.states() == states)
    }

    @Test(
        "derives everything again when somebody has emptied the table of states",
        arguments: BedSystem.allCases
    )
    func emptied(system: BedSystem) throws {
        let bed = try bed(system)
        let states = try bed.states()
        #expect(try !bed.refresh.run().isFull)
        try connection(bed).run("DELETE FROM subscriber_states")
        #expect(try bed.refresh.run().isFull)
        #expect(try bed.states() == states)
        // A store in which nobody has a state is no such store.
        let nobody = HistoryRefresh(bed.store, app: "nobody", environment: "Sandbox")
        #expect(try nobody.run().isFull)
        #expect(try !nobody.run().isFull)
    }

    @Test("reads all rows when many are new", arguments: BedSystem.allCases)
    func many(system: BedSystem) throws {
        var bed = try bed(system)
        let from = try bed.store.settledMark()
        // Behind the back of the program, which must see it.
        try connection(bed).run("DELETE FROM renewals")
        try bed.deliver(bed.rest.count)
        let changed = try bed.store.changedSubscribers(
            from: from,
            to: bed.store.settledMark(),
            app: DeliveryDesk.app,
            environment: DeliveryDesk.environment
        )
        #expect(changed.count > 10)
        var refresh = bed.refresh
        refresh.greatestNewRowCount = 0
        #expect(try !refresh.run().isFull)
        let states = try bed.states()
        for id in changed {
            let bytes = try refresh.payloads(of: id).flatMap { FactPieces($0)?.bytes }
            #expect(states[id] == bytes, "\(id)")
        }
    }

    @Test("writes nothing more once another program has begun", arguments: BedSystem.allCases)
    func claimed(system: BedSystem) throws {
        var bed = try bed(system)
        try bed.deliver(bed.rest.count)
        let states = try bed.states()
        let name = try #require(try bed.store.cursorNames().first { $0.hasPrefix(StoreCursor.statesPrefix) })
        for isFull in [false, true] {
            var isClaimed = false
            // As when the connection that has the lock is lost: another program begins, and comes first.
            #expect(throws: NotificationStoreError.statesLocked) {
                _ = try bed.refresh.run(isFull: isFull) { _ in
                    guard !isClaimed else { return }
                    isClaimed = true
                    let now = try? bed.aside.cursor(named: name)
                    var cursor = now.flatMap { $0 } ?? StoreCursor(position: 0)
                    cursor.detail = (cursor.detail ?? "") + "other"
                    try? bed.aside.setCursor(cursor, named: name)
                }
            }
            // The states of the earlier refresh are there, or none of a full one.
            #expect(try bed.states() == (isFull ? [:] : states))
        }
        #expect(try bed.refresh.run().isFull)
        #expect(try bed.states().count >= states.count)
    }
}
