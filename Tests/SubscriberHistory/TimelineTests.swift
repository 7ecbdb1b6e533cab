import SubscriberHistory
import Support
import Testing

@Suite("The timeline of a subscriber", .timeLimit(.minutes(5)))
struct TimelineTests {
    private func names(_ entry: SubscriberTimeline.Entry) -> [String]? {
        entry.changes?.map { change in
            "\(change.after.fact.name): \(String(describing: change.before.value)) "
                + String(describing: change.after.value)
        }
    }

    @Test("has the changes of the last entries alone when there are too many payloads for those of all")
    func work() {
        var derived: Set<Int> = []
        for world in WorldTests.worlds[0].prefix(40) {
            let payloads = world.life.payloads
            let whole = SubscriberTimeline(payloads, now: world.life.now)
            #expect(whole.entries.allSatisfy { $0.changes != nil })
            #expect(whole.entries.map(\.at) == whole.entries.map(\.at).sorted())
            for work in [0, 1, 50, 200, 1000] {
                let part = SubscriberTimeline(payloads, now: world.life.now, work: work)
                #expect(part.entries.map(\.payloads) == whole.entries.map(\.payloads))
                #expect(part.facts == whole.facts)
                let first = part.entries.firstIndex { $0.changes != nil } ?? part.entries.count
                #expect(part.entries[..<first].allSatisfy { $0.changes == nil })
                for (entry, other) in zip(part.entries, whole.entries).dropFirst(first) {
                    #expect(names(entry) == names(other))
                }
                // Before and after each of these entries, everything until then was looked at; for one more there was no room.
                let counts = part.entries.map(\.payloads.count)
                let looks = counts.indices.map { 2 * counts[...$0].reduce(0, +) }
                #expect(looks[first...].reduce(0, +) <= work)
                if first > 0 { #expect(looks[(first - 1)...].reduce(0, +) > work) }
                derived.insert(part.entries.count - first)
            }
        }
        #expect(derived.contains(0) && derived.count > 5)
    }

    @Test("does not count a payload twice that came twice")
    func repetition() {
        for world in WorldTests.worlds[1].prefix(20) {
            let payloads = world.life.payloads
            var twice = payloads
            twice.transactions += payloads.transactions
            twice.notifications += payloads.notifications.reversed()
            let once = SubscriberTimeline(payloads, now: world.life.now)
            let again = SubscriberTimeline(twice, now: world.life.now)
            #expect(once.entries.map(\.payloads) == again.entries.map(\.payloads))
            #expect(once.entries.map(names) == again.entries.map(names))
        }
    }
}
