import DataFiles
import Decisions
import Support
import System
import Testing

@Suite("Segments and the index by product")
struct SegmentTests {
    @Test("are evaluated in a chain of 256 segments")
    func chain() throws {
        let file = RuleWorld.file { model in
            model.segments = [.init(name: "s0", condition: .equal(RuleWorld.count, .integer(1)))]
            for index in 1..<256 {
                var condition = Condition.segment(index - 1)
                for depth in 0..<8 { condition = depth % 2 == 0 ? .any([condition]) : .all([condition]) }
                model.segments.append(.init(name: "s\(index)", condition: condition))
            }
            var rule = RulesModel.Rule(id: "r", outcome: .nothing)
            rule.condition = .all([.segment(255), .segment(0)])
            model.rules = [rule]
        }
        for (count, matches, unknown) in [(1 as Int64?, true, UInt32(0)), (2, false, 0), (nil, false, 1)] {
            // A task has only 512 KiB of stack, which is too little for a sanitizer's frames. In a release build, 2 MiB
            // are enough.
            let thread = try JoinableThread { () -> (decision: Decision, explained: Decision) in
                let facts = RuleWorld.facts(count: count)
                let explanation = explain(RuleWorld.request(), facts: facts, using: file)
                return (decide(RuleWorld.request(), facts: facts, using: file), explanation.decision)
            }
            let (decision, explained) = try #require(thread.join())
            #expect((decision.ruleIndex == 0) == matches)
            #expect(decision.skipped.unknownCondition == unknown)
            #expect(explained == decision)
        }
    }

    @Test("can read the last of 64 facts")
    func lastFact() throws {
        let file = RuleWorld.file { model in
            model.facts = (0..<64).map { .init(name: "f\($0)", kind: .integer) }
            var rule = RulesModel.Rule(id: "r", outcome: .nothing)
            rule.condition = .equal(.declared(63), .integer(5))
            model.rules = [rule]
        }
        let values = (0..<64).map { FactValue.integer($0 == 63 ? 5 : 0) }
        let facts = SubscriberFacts.literal(values, ageSeconds: nil)
        #expect(decide(RuleWorld.request(), facts: facts, using: file).ruleIndex == 0)
    }

    @Test("do not count the rules of other products, but show them in an explanation")
    func index() throws {
        let file = RuleWorld.file { model in
            for (id, product) in [("a", "p"), ("b", "q"), ("c", "p")] {
                var rule = RulesModel.Rule(id: id, outcome: .nothing)
                rule.condition = .all([
                    .equal(.productId, .string(product)), .equal(RuleWorld.count, .integer(1)),
                ])
                rule.isEnabled = id != "a"
                model.rules.append(rule)
            }
        }
        let facts = RuleWorld.facts()
        let decision = decide(RuleWorld.request(), facts: facts, using: file)
        #expect(decision.skipped.disabled == 1)
        #expect(decision.skipped.unknownCondition == 1)
        let explanation = explain(RuleWorld.request(), facts: facts, using: file)
        #expect(explanation.decision == decision)
        let rules = explanation.lines.filter { $0.step == "rule" }.map(\.result)
        #expect(rules == ["a", "b (not for this product)", "c"])
        let other = decide(RuleWorld.request(product: "unheard of"), facts: facts, using: file)
        #expect(other.skipped.disabled == 0)
        #expect(other.skipped.unknownCondition == 0)
        #expect(other.reason == .none)
    }
}
