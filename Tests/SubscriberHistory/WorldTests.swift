import SubscriberHistory
import Support
import Synchronization
import Testing

@Suite("Facts of 1,000 random subscribers", .timeLimit(.minutes(5)))
struct WorldTests {
    /// Each test has so many parts, so that they use all processors.
    static let parts = Array(0..<8)
    static let worlds = 125

    /// Returns the worlds of a part.
    static func worlds(_ test: String, _ part: Int) -> [World] {
        var generator = SeededGenerator(for: "SubscriberHistory.\(test).\(part)")
        return (0..<worlds).map { World(World.Loss.allCases[$0 % 3], generator.next()) }
    }

    @Test("never contradict the truth, and are missing only where the rule says so", arguments: parts)
    func truth(_ part: Int) {
        var shares = Shares()
        for world in Self.worlds("truth", part) {
            let last = world.life.now
            for now in world.moments(4) + [last] {
                let facts = SubscriberFacts(world.life.payloads, now: now)
                let judge = Judge(world: world, facts: facts, now: now)
                for statement in facts.statements {
                    shares.add(statement, world.loss)
                    if let fault = judge.fault(statement) { Issue.record("\(fault)") }
                }
            }
        }
        print(shares)
    }

    @Test("do not depend on the order of arrival, nor on repetition", arguments: parts)
    func arrival(_ part: Int) {
        for world in Self.worlds("arrival", part) {
            var world = world
            let payloads = world.life.payloads
            let shuffled = payloads.shuffled(&world.generator)
            for now in world.moments(1) + [world.life.now] {
                #expect(SubscriberFacts(shuffled, now: now) == SubscriberFacts(payloads, now: now))
            }
            #expect(FactPieces(shuffled) == FactPieces(payloads))
        }
    }

    @Test("are the same from pieces at every time behind the newest payload", arguments: parts)
    func pieces(_ part: Int) throws {
        for world in Self.worlds("pieces", part) {
            var world = world
            guard let newest = world.life.payloads.newest else { continue }
            // A sync may end after Apple signed the last payload.
            var payloads = world.life.payloads
            if world.chance(20) { payloads.syncedAt = newest + Int64(world.number(0...86_400_000)) }
            let pieces = try #require(FactPieces(payloads))
            let turns = pieces.pieces.flatMap { [$0.from - 1, $0.from] }.filter { newest <= $0 }
            for now in turns + [newest + Int64(world.number(0...100)) * Life.day] {
                #expect(
                    pieces.piece(at: now)?.values == SubscriberFacts(payloads, now: now).values,
                    "at \(now)"
                )
            }
        }
    }
}

extension World {
    /// Returns times from the life, some of them those of events.
    func moments(_ count: Int) -> [Int64] {
        var generator = self.generator
        return (0..<count).map { _ in
            Bool.random(using: &generator)
                ? times.randomElement(using: &generator) ?? life.now
                : Int64.random(in: Life.birth...max(Life.birth, life.now), using: &generator)
        }
    }
}
