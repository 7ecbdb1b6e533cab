import NotificationStore
import SubscriberHistory
import Support
import Testing

@Suite("The states of random subscribers in a store", .timeLimit(.minutes(10)))
struct IncrementalTests {
    @Test("are those of a full build after any sequence of steps", arguments: BedSystem.allCases)
    func steps(system: BedSystem) throws {
        var generator = SeededGenerator(for: "SubscriberHistory.steps")
        var bed = try IncrementalBed(system, system.worlds, generator)
        let stepCount = 12
        let size = bed.rest.count / stepCount + 1
        // Deleted rows and new tombstones make a refresh derive everything.
        var incrementalCount = 0
        for step in 0..<stepCount {
            try bed.deliver(size)
            if step > 0 { try bed.disturb(bed.store) }
            // Every third build runs beside something else. What changed then is derived by the next one.
            if step % 3 == 2 { try bed.build { bed in try bed.disturb(bed.aside, chance: 60) } }
            try bed.eraseEntombed(in: bed.store)
            if try !bed.refresh.run().isFull { incrementalCount += 1 }
            let states = try bed.states()
            // All in a short run. The long one has ten times as many subscribers, and looks at the others in the end.
            let looked = system.isLong ? Array(bed.ids.shuffled(using: &generator).prefix(60)) : bed.ids
            if !system.isLong { #expect(Set(states.keys).isSubset(of: looked)) }
            for id in looked {
                let bytes = try bed.refresh.payloads(of: id).flatMap { FactPieces($0)?.bytes }
                #expect(states[id] == bytes, "\(id) in step \(step)")
            }
        }
        #expect(bed.rest.isEmpty)
        let states = try bed.states()
        let counts = bed.counts.sorted { $0.key < $1.key }
        print("figures: steps on \(system): \(incrementalCount) incremental, \(counts)")
        #expect(incrementalCount > 0)
        #expect(states.count > bed.ids.count / 2)
        let now = Life.time(300)
        let file = try bed.file(at: now)
        #expect(try bed.file(at: now, ["--full"]) == file)
        let report = try bed.refresh.run(isFull: true)
        #expect(report.isFull)
        let full = try bed.states()
        #expect(states.keys.sorted() == full.keys.sorted())
        for (id, bytes) in full { #expect(states[id] == bytes, "\(id)") }
    }

    @Test("are right after erasures between the reading of rows and the writing of states")
    func erasedMeanwhile() throws {
        var generator = SeededGenerator(for: "SubscriberHistory.erasedMeanwhile")
        // So few that the first page has all, and each erasure is between its reading and its writing.
        let worlds = BedSystem.sqlite.worlds.prefix(100)
        var bed = try IncrementalBed(.sqlite, Array(worlds), generator)
        try bed.deliver(bed.rest.count)
        #expect(!bed.left.isEmpty)
        let erased = Set(bed.left + bed.ids.shuffled(using: &generator).prefix(10))
        try bed.build { bed in
            for id in erased { _ = try bed.aside.erase(.originalTransaction(id)) }
        }
        // Nobody else loses facts, not even until the next build.
        let states = try bed.states()
        #expect(try bed.outdated().isEmpty)
        #expect(bed.counts["derived again"] ?? 0 > 0)
        #expect(erased.isDisjoint(with: states.keys))
        _ = try bed.refresh.run()
        #expect(try bed.states() == states)
        _ = try bed.refresh.run(isFull: true)
        #expect(try bed.states() == states)
    }
}
