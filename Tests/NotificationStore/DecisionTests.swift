import Cryptography
@testable import NotificationStore
import SQL
import Support
import System
import Testing

@Suite("Decisions in a store")
struct DecisionTests {
    private static let digests = ["a", "b", "c"].map { String(repeating: $0, count: 64) }
    private static let draws = [
        DecisionDraws(isHeldOut: true, isDrawn: true, rules: []),
        DecisionDraws(isHeldOut: false, isDrawn: false, rules: []),
        DecisionDraws(
            isHeldOut: false, isDrawn: true,
            rules: [
                .init(rule: "an \"odd\" name\n", arm: nil, step: "rollout"),
                .init(rule: "b", arm: "é", step: nil),
            ]),
    ]

    /// Two thousand records about three hundred subscribers, of two apps.
    private static let records: [DecisionBatch.Record] = {
        var random = SeededGenerator(seed: 42)
        return (0..<2000).map { number in
            let subscriber = UInt64.random(in: 1...300, using: &random)
            let place = Int.random(in: 0..<3, using: &random)
            return DecisionBatch.Record(
                subscriber: UUID(high: subscriber &* 0x9E37_79B9_7F4A_7C15, low: subscriber),
                signedAt: 1_790_000_000_000 + Int64.random(in: 0..<50, using: &random),
                request: UUID(high: 0xF000_0000_0000_0000, low: UInt64(number)),
                app: place == 2 ? 8 : 7, environment: "Production", digest: digests[place],
                draws: draws[Int.random(in: 0..<3, using: &random)], product: "p\(number % 5)",
                served: number % 2 == 0 ? "none" : "message")
        }
    }()

    private func batch(_ records: some Sequence<DecisionBatch.Record>) -> DecisionBatch {
        var batch = DecisionBatch()
        for record in records { batch.add(record) }
        return batch
    }

    private func decisions(_ store: NotificationStore, app: Int64 = 7) throws -> [StoredDecision] {
        var found: [StoredDecision] = []
        var after: String?
        repeat {
            let page = try store.decisions(app: app, environment: "Production", after: after)
            found += page.decisions
            after = page.next
        } while after != nil
        return found
    }

    /// The first decision of each subscriber, rules file and draws, found without the store.
    private func expected(app: Int64) -> [StoredDecision] {
        var first: [String: DecisionBatch.Record] = [:]
        for record in Self.records where record.app == app {
            let key = "\(record.subscriber) \(record.digest) \(record.draws)"
            guard let known = first[key] else {
                first[key] = record
                continue
            }
            let isEarlier = (record.signedAt, record.request.low) < (known.signedAt, known.request.low)
            if isEarlier { first[key] = record }
        }
        let found = first.values.map { record in
            StoredDecision(
                subscriber: record.subscriber.description.replacing("-", with: ""), signedAt: record.signedAt,
                requestIdentifier: record.request.description, digest: record.digest, draws: record.draws,
                product: record.product, served: record.served)
        }
        return found.sorted {
            ($0.subscriber, $0.signedAt, $0.requestIdentifier)
                < ($1.subscriber, $1.signedAt, $1.requestIdentifier)
        }
    }

    @Test(
        "are the first of each subscriber with the same draws, in whatever order and how often they come",
        arguments: StoreSystem.allCases)
    func order(system: StoreSystem) throws {
        var tables: [[StoredDecision]] = []
        for seed in UInt64(1)...3 {
            let place = try TestStore(system)
            let store = try place.open()
            var random = SeededGenerator(seed: seed)
            let shuffled = Self.records.shuffled(using: &random)
            for start in stride(from: 0, to: shuffled.count, by: 700) {
                try store.add(batch(shuffled[start..<min(start + 900, shuffled.count)]))
            }
            tables.append(try decisions(store))
            #expect(try store.decisionCount() == expected(app: 7).count + expected(app: 8).count)
        }
        #expect(tables[0] == expected(app: 7))
        #expect(tables[1] == tables[0] && tables[2] == tables[0])
    }

    @Test("keep a request that two hosts answered in different ways, as one or as two draws of one request")
    func twice() throws {
        var records = [Self.records[0], Self.records[0]]
        (records[0].served, records[1].served) = ("none", "message")
        for order in [records, records.reversed()] {
            let place = try TestStore(.sqlite)
            let store = try place.open()
            for record in order { try store.add(batch([record])) }
            #expect(try decisions(store, app: records[0].app).map(\.served) == ["message"])
        }
    }

    @Test("are erased with the subscriber, and do not come again", arguments: StoreSystem.allCases)
    func erasing(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        let pseudonyms = try IdentifierKey.make().pseudonyms()
        func records(_ ids: [String]) throws -> [DecisionBatch.Record] {
            try ids.map { id in
                var record = Self.records[0]
                let name = try pseudonyms.pseudonym(of: id)
                record.app = 7
                record.subscriber = try #require(Hexadecimal.decode(name).flatMap { UUID(bytes: $0) })
                return record
            }
        }
        let ids = ["2000000000000001", "2000000000000002", "2000000000000003"]
        try store.add(batch(records(ids)))
        let names = try ids.map { try pseudonyms.pseudonym(of: $0) }
        #expect(try Set(decisions(store).map(\.subscriber)) == Set(names))
        // Nobody can find the subscriber without the key.
        #expect(try store.erase(.originalTransaction(ids[0])).decisionCount == 0)
        #expect(try store.erase(.originalTransaction(ids[0]), pseudonyms).decisionCount == 1)
        #expect(try Set(decisions(store).map(\.subscriber)) == Set(names.dropFirst()))
        try store.add(batch(records(ids)))
        #expect(try Set(decisions(store).map(\.subscriber)) == Set(names.dropFirst()))
        // The tombstone of another store.
        let elsewhere = try TestStore(.sqlite)
        let other = try elsewhere.open()
        #expect(try other.erase(.originalTransaction(ids[1]), pseudonyms).decisionCount == 0)
        try store.add(other.tombstones())
        #expect(try store.eraseEntombed().decisionCount == 1)
        #expect(try decisions(store).map(\.subscriber) == [names[2]])
    }

    @Test("are pruned by the time of the request", arguments: StoreSystem.allCases)
    func pruning(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        var all = batch(Self.records)
        for (name, last) in [("old", 10), ("new", 30)] {
            all.change(instance: name) { $0.include(time: 1_790_000_000_000 + Int64(last)) }
        }
        try store.add(all)
        let time: Int64 = 1_790_000_000_020
        let kept = [7, 8].map { app in expected(app: app).filter { $0.signedAt >= time } }
        let count = try store.decisionCount()
        #expect(try store.pruneDecisions(before: time) == count - kept[0].count - kept[1].count)
        #expect(try decisions(store) == kept[0] && decisions(store, app: 8) == kept[1])
        #expect(try store.decisionInstances().map(\.name) == ["new"])
    }

    @Test("have ranges of numbers, however they come")
    func ranges() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            let numbers = (0..<60).map { _ in Int64.random(in: 1...80, using: &random) }
            var (all, left, right) = (RangeSet<Int64>(), RangeSet<Int64>(), RangeSet<Int64>())
            for number in numbers.sorted() { all.insert(number) }
            for number in numbers.prefix(30) { left.insert(number) }
            for number in numbers.dropFirst(20) { right.insert(number) }
            left.formUnion(right)
            #expect(left == all && RangeSet(text: all.text) == all)
            #expect(all.ranges.flatMap { $0 } == Set(numbers).sorted())
        }
    }
}
