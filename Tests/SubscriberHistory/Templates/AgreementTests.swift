import DataFiles
import Decisions
import SubscriberHistory
import Support
import System
import Testing
import Vocabulary

/// The decisions of a worker, of `explain` and by hand are the same.
@Suite("Decisions on facts of 1,000 random subscribers", .timeLimit(.minutes(60)))
struct AgreementTests {
    /// A subscriber at a time.
    private struct Subscriber {
        let key: UInt64
        let product: String
        /// What a facts file of that time has.
        let built: [SubscriberFact: HistoryValue]
        /// What is known, with the values of the truth where nothing got lost.
        let known: [SubscriberFact: HistoryValue]

        /// Makes a subscriber at a time of a life, of which these payloads are known, and all of whose dates are moved.
        init(
            _ key: UInt64, _ world: World, _ payloads: SubscriberPayloads, at time: Int64,
            movedBy distance: Int64
        ) {
            self.key = key
            product = world.truth.running(time)?.plan.product ?? "monthly"
            let now = time + distance
            let derived = HistoryFacts(payloads, now: now)
            built = derived.values
            let truth = world.truth.values(time).mapValues { $0.moved(by: distance) }
            var values = derived.values
            if world.loss == .nothing {
                for fact in values.keys where fact != .historyComplete { values[fact] = truth[fact] }
            }
            known = values
        }

        func byHand(_ template: String, at now: Int64) -> Decided {
            HandDecision(facts: known, product: product, now: now).decide(template)
        }
    }

    /// The subscribers at a time of their lives.
    private static func subscribers(at time: Int64) -> [Subscriber] {
        WorldTests.worlds.joined().enumerated().map { index, world in
            Subscriber(2_000_000_000 + UInt64(index), world, world.life.payloads, at: time, movedBy: 0)
        }
    }

    /// The subscribers at a time of their lives, which is moved to another one, and a store with their payloads.
    private static func stored(at time: Int64, movedTo now: Int64) throws -> (
        store: AgreementStore, subscribers: [Subscriber]
    ) {
        let worlds = Array(WorldTests.worlds.joined())
        func suffix(_ index: Int) -> String { String(1_000_000 + index) }
        let store = try AgreementStore(
            worlds.indices.map { (worlds[$0].life.payloads.moved(by: now - time), suffix($0)) }
        )
        let subscribers = try worlds.enumerated().map { index, world in
            let id = world.life.subscriber + suffix(index)
            let key = try #require(UInt64(id))
            return Subscriber(key, world, try store.payloads(of: id), at: time, movedBy: now - time)
        }
        return (store, subscribers)
    }

    private static func templates() throws -> [Template] {
        try Template.names.map { try Template($0, changes: HandDecision.changes) }
    }

    /// The times, in days since the first purchases.
    private static let days: [Double] = [5, 190, 420]

    @Test("are the same by a worker, by explain and by hand, at three times")
    func agreement() throws {
        let templates = try Self.templates()
        var decided: [String: [String?: Int]] = [:]
        for now in Self.days.map(Life.time) {
            let subscribers = Self.subscribers(at: now)
            #expect(subscribers.count == 1_000)
            for template in templates {
                let bound = try BoundTemplate(template, subscribers.map { (key: $0.key, values: $0.built) })
                for subscriber in subscribers {
                    let byHand = subscriber.byHand(template.name, at: now)
                    let (worker, explained) = bound.decisions(
                        subscriber.key, product: subscriber.product, at: now)
                    #expect(worker == byHand, "\(template.name) for \(subscriber.key) at \(now)")
                    #expect(explained == byHand, "\(template.name) for \(subscriber.key) at \(now)")
                    decided[template.name, default: [:]][byHand.rule, default: 0] += 1
                }
            }
        }
        for template in templates {
            let counts = decided[template.name] ?? [:]
            print("figures: decisions of \(template.name): \(counts)")
            // With other seeds, a rule for few subscribers may be for none.
            guard !Self.hasOtherSeed else { continue }
            #expect(Set(counts.keys) == Set(template.model.rules.map { $0.id } + [nil]), "\(template.name)")
        }
    }

    /// True when a process of `retentionctl` explains for each subscriber, and not only for one of each decision.
    private static let runsLong = ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1"

    /// True when the random subscribers are not those of the gate.
    private static let hasOtherSeed = runsLong || ProcessEnvironment.value(of: "TEST_SEED") != nil

    /// One subscriber for each decision of a template.
    private static func sample(_ subscribers: [Subscriber], _ template: Template, at now: Int64)
        -> [Subscriber]
    {
        var chosen: [Decided: Subscriber] = [:]
        for subscriber in subscribers {
            let decided = subscriber.byHand(template.name, at: now)
            if chosen[decided] == nil { chosen[decided] = subscriber }
        }
        return chosen.values.sorted { $0.key < $1.key }
    }

    @Test("are the same by the programs retentionctl and retentiond, at three times", arguments: days.indices)
    func programs(index: Int) throws {
        // The daemon decides for the present, so that each time of the lives becomes the present one.
        let time = Clock.wallMilliseconds()
        let (store, subscribers) = try Self.stored(at: Life.time(Self.days[index]), movedTo: time)
        #expect(subscribers.count == 1_000)
        let templates = try Self.templates()
        var (servedCount, explainedCount) = (0, 0)
        for (number, template) in templates.enumerated() {
            let folder = try TemporaryDirectory()
            let facts = try store.facts(for: template, at: time, app: TestPayload.appAppleId)
            let pool = try AgreementPool(in: folder, rules: template.bytes, facts: facts)
            // The templates share the subscribers, and each makes every decision of its own.
            let share = subscribers.indices.filter { $0 % templates.count == number }.map { subscribers[$0] }
            let sample = Self.sample(subscribers, template, at: time)
            for subscriber in share + sample {
                // The days since the last offer end while the test runs.
                let before = subscriber.byHand(template.name, at: Clock.wallMilliseconds())
                let served = try pool.answer(subscriber.key, product: subscriber.product)
                let after = subscriber.byHand(template.name, at: Clock.wallMilliseconds())
                let expected = try [before, after].map { try template.identifier(of: $0) }
                #expect(expected.contains { served.contains($0) }, "\(template.name): \(served)")
                servedCount += 1
            }
            for subscriber in (Self.runsLong ? share : []) + sample {
                let now = Clock.wallMilliseconds()
                let explained = try pool.explanation(subscriber.key, product: subscriber.product, at: now)
                let identifier = try template.identifier(of: subscriber.byHand(template.name, at: now))
                #expect(explained.contains(identifier), "\(template.name): \(explained)")
                explainedCount += 1
            }
            #expect(pool.stop() == .exited(0))
        }
        print("figures: the daemon served \(servedCount) and retentionctl explained \(explainedCount)")
        #expect(servedCount >= 1_000)
    }
}

extension Template {
    /// Apple's identifier of the message of a decision.
    fileprivate func identifier(of decided: Decided) throws -> String {
        let message = try #require(model.messages.first { $0.name == decided.message })
        return try #require(message.identifiers.first).identifier.description
    }
}
