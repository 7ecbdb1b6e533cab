@testable import Rules
import System
import Testing

@Suite("Holdout, rollout and arms")
struct ExposureTests {
    static let subscribers = (0..<4000).map { String(2_000_000_000 + $0 * 37) }

    private static func served(_ file: RulesFile) -> [String: String] {
        var served: [String: String] = [:]
        for subscriber in subscribers {
            let request = RuleWorld.request(transaction: subscriber)
            let decision = decide(request, facts: .none(ageSeconds: nil), using: file)
            if decision.ruleIndex != nil { served[subscriber] = decision.messageName(in: file) ?? "none" }
        }
        return served
    }

    private static func file(rollout: Int, rule: String = "r", arms: [String] = ["one", "two"]) throws
        -> RulesFile
    {
        RuleWorld.file { model in
            model.rules = [Self.halves(rule, arms, rollout: rollout)]
        }
    }

    /// Returns a rule that serves a text to half of its rollout and a switch to the other half.
    private static func halves(_ rule: String, _ arms: [String], rollout: Int) -> RulesModel.Rule {
        let outcomes: [RulesModel.Outcome] = [
            .message(0), .switch(message: 1, productId: "q", billingPlanType: .monthly),
        ]
        let arms = zip(arms, outcomes).map { RulesModel.Arm(name: $0, weight: 5000, outcome: $1) }
        var rule = RulesModel.Rule(id: rule, choice: .variants(.init(salt: "arms", arms: arms)))
        rule.rollout = .init(salt: "rollout", basisPoints: rollout)
        return rule
    }

    @Test("only add subscribers when a rollout is raised, and change nothing for all others")
    func raising() throws {
        var before: [String: String] = [:]
        for share in [0, 1, 100, 2500, 5000, 9999, 10_000] {
            let served = Self.served(try Self.file(rollout: share))
            for (subscriber, message) in before { #expect(served[subscriber] == message) }
            let expected = Double(share) / 10_000 * Double(Self.subscribers.count)
            #expect(abs(Double(served.count) - expected) < 130)
            before = served
        }
        #expect(before.count == Self.subscribers.count)
    }

    @Test("end exactly at their shares: a bucket belongs to one side")
    func boundaries() throws {
        func unit(_ salt: String, _ bucket: Int) throws -> String {
            let units = (2_000_000_000...2_000_500_000).lazy.map { String($0) }
            return try #require(units.first { Bucketing.bucket(salt: salt, unit: $0) == bucket })
        }
        func decided(_ unit: String, rollout: Int) throws -> Decision {
            let request = RuleWorld.request(transaction: unit)
            return decide(request, facts: .none(ageSeconds: nil), using: try Self.file(rollout: rollout))
        }
        for (bucket, arm) in [(0, "one"), (4999, "one"), (5000, "two"), (9999, "two")] {
            let file = try Self.file(rollout: 10_000)
            #expect(try decided(unit("arms", bucket), rollout: 10_000).armName(in: file) == arm)
        }
        for (bucket, isIn) in [(0, true), (1999, true), (2000, false), (9999, false)] {
            #expect(try (decided(unit("rollout", bucket), rollout: 2000).ruleIndex != nil) == isIn)
        }
        for (bucket, isHeldOut) in [(999, true), (1000, false)] {
            let file = RuleWorld.file { model in
                model.holdout = .init(split: .init(salt: "holdout", basisPoints: 1000))
            }
            let request = RuleWorld.request(transaction: try unit("holdout", bucket))
            #expect(decide(request, facts: .none(ageSeconds: nil), using: file).isHeldOut == isHeldOut)
        }
    }

    @Test("that did not serve are kept for the first eight rules")
    func assigned() throws {
        let file = RuleWorld.file { model in
            model.rules = (0..<12).map { Self.halves("r\($0)", ["one", "two"], rollout: 0) }
        }
        let decision = decide(RuleWorld.request(), facts: .none(ageSeconds: nil), using: file)
        #expect(decision.assigned.map(\.ruleIndex) == Array(0..<8))
        #expect(decision.assigned.allSatisfy { $0.step == .rollout && $0.armIndex == nil })
    }

    @Test("of segments are remembered apart")
    func segments() {
        func truth(_ segment: Int) -> Truth? { [nil, .true, .false, .unknown][segment * 7 % 4] }
        var memory = SegmentMemory()
        for segment in 0..<256 where truth(segment) != nil { memory[segment] = truth(segment) }
        for segment in 0..<256 { #expect(memory[segment] == truth(segment), "\(segment)") }
    }

    @Test("are independent of each other")
    func independence() throws {
        let file = RuleWorld.file { model in
            model.holdout = .init(split: .init(salt: "holdout", basisPoints: 5000))
            model.rules = [Self.halves("r", ["one", "two"], rollout: 5000)]
        }
        // Rows: not held out, held out. Columns: not in the rollout, arm `one`, arm `two`.
        var cells = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        let count = 20_000
        for number in 0..<count {
            let request = RuleWorld.request(transaction: String(2_000_000_000 + number))
            let decision = decide(request, facts: .none(ageSeconds: nil), using: file)
            let arm = decision.isHeldOut ? decision.shadow?.armName(in: file) : decision.armName(in: file)
            let column = arm == nil ? 0 : arm == "one" ? 1 : 2
            cells[decision.isHeldOut ? 1 : 0][column] += 1
        }
        // Independent halves: in each row a quarter of all outside the rollout, and an eighth of all for each arm.
        let expected = [0.25, 0.125, 0.125].map { $0 * Double(count) }
        var statistic = 0.0
        for row in cells {
            for (found, expected) in zip(row, expected) {
                statistic += (found - expected) * (found - expected) / expected
            }
        }
        // A chi-square statistic with five degrees of freedom exceeds this value once in a million times.
        #expect(statistic < 36, "\(cells)")
    }
}
