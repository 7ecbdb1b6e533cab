import Facts
@testable import Lives
import NotificationStore
import SubscriberHistory
import Support
import Testing

@Suite("Facts of 1,000 random subscribers")
struct WorldTests {
    /// What gets lost in the worlds by turns. Rules for few subscribers need many whose facts are known.
    private static let losses: [World.Loss] = [.nothing, .beginning, .nothing, .renewals, .nothing, .events]

    private static let kinds: [World.Kind] = [
        .customer, .mover, .customer, .guest, .customer, .team, .customer,
    ]

    /// The worlds in parts, so that the tests use all processors.
    static let worlds: [[World]] = {
        var generator = SeededGenerator(for: "SubscriberHistory.worlds")
        return (0..<8).map { _ in
            (0..<125).map {
                World(losses[$0 % losses.count], kinds[$0 / losses.count % kinds.count], generator.next())
            }
        }
    }()

    @Test(
        "never contradict the truth, and are missing only where the rule says so",
        arguments: worlds.indices
    )
    func truth(_ part: Int) {
        for world in Self.worlds[part] {
            let last = world.life.now
            for now in world.moments(4) + [last] {
                let facts = HistoryFacts(world.life.payloads, now: now)
                let check = FactsCheck(world: world, facts: facts, now: now)
                for statement in facts.statements {
                    if let fault = check.fault(statement) { Issue.record("\(fault)") }
                }
            }
        }
    }

    @Test("never make half a history look like a new customer", arguments: worlds.indices)
    func halves(_ part: Int) {
        var cut = 0
        for world in Self.worlds[part] {
            var world = world
            let whole = world.life.payloads
            let begin = world.times[world.number(0...world.times.count - 1)]
            var half = SubscriberPayloads()
            half.transactions = whole.transactions.filter { begin <= $0.signedAt }
            half.renewals = whole.renewals.filter { begin <= $0.signedAt }
            half.notifications = whole.notifications.filter { begin <= $0.signedAt }
            half.renewalOfNotification = whole.renewalOfNotification
            for now in [begin, world.life.now] where world.truth.lacksPurchase(half, now) {
                cut += 1
                let facts = HistoryFacts(half, now: now)
                // What came behind a period that has ended is unknown in any case.
                let isOver = facts[.paidPeriods].reason == .ended
                #expect(facts[.historyComplete].value == .boolean(false) || isOver)
                for fact in FactsCheck.life {
                    #expect(facts[fact].value == nil || fact.isOfLastOffer, "\(fact) at \(now)")
                }
            }
        }
        #expect(cut > 40)
    }

    @Test("do not depend on the order of arrival, nor on repetition", arguments: worlds.indices)
    func arrival(_ part: Int) {
        for world in Self.worlds[part] {
            var world = world
            let payloads = world.life.payloads
            let shuffled = payloads.shuffled(&world.generator)
            for now in world.moments(1) + [world.life.now] {
                #expect(HistoryFacts(shuffled, now: now) == HistoryFacts(payloads, now: now))
            }
        }
    }

    @Test(
        "are the same when the store has deleted old notifications that no fact needs",
        arguments: worlds.indices
    )
    func pruned(_ part: Int) throws {
        for world in Self.worlds[part] {
            var world = world
            guard let newest = world.life.payloads.newest else { continue }
            var payloads = world.life.payloads
            // Apple has a new status, of which only this notification tells.
            if world.chance(20), !payloads.notifications.isEmpty {
                let place = world.number(0...payloads.notifications.count - 1)
                let last = payloads.notifications[place]
                var columns = last.columns
                columns.status = 6
                payloads.notifications[place] = HistoryPayload(last.evidence, columns, unfit: last.unfit)
            }
            // What `recover` has read stays read, because the types that facts need stay in the store.
            if world.chance(60) {
                let ends = [0, 0].map { _ in newest - Int64(world.number(-100...900)) * Life.day }.sorted()
                payloads.covered = [TimeRange(from: ends[0], to: ends[1] + 1)]
            }
            let limit = newest - Int64(world.chance(30) ? 0 : world.number(1...400)) * Life.day
            let noted = Set(payloads.notifications.compactMap(\.columns.transactionID))
            var pruned = payloads
            pruned.announced = Set(
                payloads.transactions.filter { noted.contains($0.columns.transactionID ?? "") }.map(
                    \.evidence.name
                )
            )
            pruned.notifications = payloads.notifications.filter { notification in
                let columns = notification.columns
                let (type, subtype) = (columns.type ?? "", columns.subtype ?? "")
                return HistoryFacts.neededTypes.contains(type)
                    || HistoryFacts.neededTypes.contains("\(type).\(subtype)")
                    || columns.status.map { !HistoryFacts.knownStatuses.contains($0) } ?? false
                    || notification.signedAt >= limit
            }
            for now in [newest, newest + 40 * Life.day] {
                let (before, after) = (HistoryFacts(payloads, now: now), HistoryFacts(pruned, now: now))
                #expect(before.values == after.values, "at \(now)")
            }
        }
    }
}

extension SubscriberFact {
    fileprivate var isOfLastOffer: Bool {
        [.lastOfferAt, .lastOfferIdentifier, .lastOfferType].contains(self)
    }
}

extension World {
    func moments(_ count: Int) -> [Int64] {
        var generator = self.generator
        return (0..<count).map { _ in
            Bool.random(using: &generator)
                ? times.randomElement(using: &generator) ?? life.now
                : Int64.random(in: Life.birth...max(Life.birth, life.now), using: &generator)
        }
    }
}
