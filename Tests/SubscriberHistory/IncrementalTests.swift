import NotificationStore
import SubscriberHistory
import Support
import System
import Testing

@Suite("The states of random subscribers in a store", .timeLimit(.minutes(10)))
struct IncrementalTests {
    /// The subscribers: all 1,000 random ones in a long run.
    private static var worlds: [World] {
        let isLong = ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1"
        return Array(WorldTests.worlds.joined().prefix(isLong ? 1_000 : 100))
    }

    /// A store to which deliveries come in a random order.
    private struct Bed {
        let folder: TemporaryDirectory
        let store: NotificationStore
        let refresh: HistoryRefresh
        /// The subscriptions, also those from before a move to Advanced Commerce.
        let ids: [String]
        /// The subscriptions that a customer left by a move to Advanced Commerce.
        let left: [String]
        var generator: SeededGenerator
        var rest: [Delivery] = []
        private var done: [StoreItem] = []

        init(_ worlds: [World], _ generator: SeededGenerator) throws {
            self.generator = generator
            folder = try TemporaryDirectory()
            var options = StoreOptions(access: .create)
            options.waitsForDisk = false
            store = try NotificationStore(
                StoreAddress("sqlite:\(folder.path(of: "store.db"))"),
                options
            )
            refresh = HistoryRefresh(store, app: DeliveryDesk.app, environment: DeliveryDesk.environment)
            let desk = try DeliveryDesk()
            var ids: [String] = []
            var left: [String] = []
            for (number, world) in worlds.enumerated() {
                var life = world.life
                let suffix = String(1_000_000 + number)
                ids.append(life.subscriber + suffix)
                // Some move to Advanced Commerce at the end, and Apple gives the history of some of these since then.
                if number % 10 == 0, life.status == 1 {
                    left.append(life.subscriber + suffix)
                    life.migrate(to: "2000")
                    if number % 20 == 0 { life.syncAlone() }
                    ids.append(life.subscriber + suffix)
                }
                rest += desk.deliveries(of: life.payloads, suffix: suffix)
            }
            self.ids = ids
            self.left = left
            rest.shuffle(using: &self.generator)
        }

        mutating func chance(_ percent: Int) -> Bool { Int.random(in: 1...100, using: &generator) <= percent }

        /// Brings some deliveries, some of them for the second time.
        mutating func deliver(_ count: Int) throws {
            let some = rest.suffix(count)
            rest.removeLast(some.count)
            var items: [StoreItem] = []
            for delivery in some {
                switch delivery {
                case .item(let item): items.append(item)
                case .synchronization(let ids, let time):
                    try store.noteSynchronization(
                        of: ids,
                        app: DeliveryDesk.app,
                        environment: DeliveryDesk.environment,
                        at: time
                    )
                }
            }
            let again = (0..<min(20, done.count)).compactMap { _ in done.randomElement(using: &generator) }
            let outcomes = store.store(items + again)
            #expect(outcomes.allSatisfy { $0.isSettled })
            done += items
        }

        /// Does something else that changes what is known.
        mutating func disturb() throws {
            let day = Int64.random(in: 0...900, using: &generator)
            if chance(40) {
                let from = Life.time(Double(day)) - 30 * Life.day
                try store.cover(
                    app: DeliveryDesk.app,
                    environment: DeliveryDesk.environment,
                    TimeRange(from: from, to: from + Life.day * Int64.random(in: 1...400, using: &generator))
                )
            }
            if chance(40), let id = ids.randomElement(using: &generator) {
                _ = try store.erase(.originalTransaction(id))
            }
            if chance(20) {
                _ = try store.prune(
                    receivedBefore: Life.time(Double(day / 2)),
                    keepingTypes: HistoryFacts.neededTypes
                )
            }
        }

        /// The states in the store.
        func states() throws -> [String: [UInt8]] {
            var found: [String: [UInt8]] = [:]
            var after: String?
            while true {
                let page = try store.states(
                    after: after,
                    app: DeliveryDesk.app,
                    environment: DeliveryDesk.environment
                )
                guard let last = page.last else { return found }
                for state in page { found[state.originalTransactionID] = state.bytes }
                after = last.originalTransactionID
            }
        }
    }

    @Test("are those of a full build after any sequence of steps")
    func steps() throws {
        var generator = SeededGenerator(for: "SubscriberHistory.steps")
        var bed = try Bed(Self.worlds, generator)
        let stepCount = 8
        let size = bed.rest.count / stepCount + 1
        for step in 0..<stepCount {
            try bed.deliver(size)
            if step > 0 { try bed.disturb() }
            _ = try bed.refresh.run()
            let states = try bed.states()
            // Every state is looked at in the end.
            for id in bed.ids.shuffled(using: &generator).prefix(60) {
                let bytes = try bed.refresh.payloads(of: id).flatMap { FactPieces($0)?.bytes }
                #expect(states[id] == bytes, "\(id) in step \(step)")
            }
        }
        #expect(bed.rest.isEmpty)
        let states = try bed.states()
        #expect(states.count > bed.ids.count * 3 / 4)
        let report = try bed.refresh.run(isFull: true)
        #expect(report.isFull)
        let full = try bed.states()
        #expect(states.keys.sorted() == full.keys.sorted())
        for (id, bytes) in full { #expect(states[id] == bytes, "\(id)") }
    }

    @Test("are right after erasures between the reading of rows and the writing of states")
    func erasedMeanwhile() throws {
        var generator = SeededGenerator(for: "SubscriberHistory.erasedMeanwhile")
        var bed = try Bed(Self.worlds, generator)
        try bed.deliver(bed.rest.count)
        #expect(!bed.left.isEmpty)
        let erased = Set(bed.left + bed.ids.shuffled(using: &generator).prefix(10))
        let other = try NotificationStore(bed.store.address, StoreOptions(access: .write))
        var isFirst = true
        // The progress is told when the first page was read, and nothing is written yet.
        let report = try bed.refresh.run(isFull: true) { report in
            guard isFirst else { return }
            isFirst = false
            #expect(report.derivedCount == 0)
            for id in erased {
                #expect(throws: Never.self) { try other.erase(.originalTransaction(id)) }
            }
        }
        #expect(report.derivedCount > erased.count)
        #expect(erased.isDisjoint(with: try bed.states().keys))
        _ = try bed.refresh.run()
        let states = try bed.states()
        #expect(erased.isDisjoint(with: states.keys))
        _ = try bed.refresh.run(isFull: true)
        #expect(try bed.states() == states)
    }
}
