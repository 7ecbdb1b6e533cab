import DataFiles
import Decisions
import JSON
import RulesCompiler
import Support
import Testing
import Vocabulary

@Suite("The evaluator and a naive one")
struct ReferenceTests {
    static let stamp = RulesFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "test")

    @Test("agree on 200,000 random rules and requests")
    func agreement() throws {
        var world = RandomRules(random: SeededGenerator(for: "random rules"))
        var reasons: [String: Int] = [:]
        for _ in 0..<2000 {
            let source = world.source()
            let text = source.serialized()
            let compiled = try RulesCompiler.compile(text, stamp: Self.stamp)
            let file = try RulesFile(bytes: compiled, check: .full)
            let reference = ReferenceEvaluator(source: source)
            for number in 0..<100 {
                let request = world.request()
                let expected = reference.answer(request)
                let decision = decide(request, facts: .none(ageSeconds: nil), using: file)
                let found = Self.answer(decision, file)
                reasons[found.reason, default: 0] += 1
                // Not #expect in the innermost loop: it costs more than the decision.
                if found != expected {
                    Issue.record(
                        "\(request): \(found), not \(expected), by \(String(decoding: text, as: UTF8.self))"
                    )
                    return
                }
                if number == 0 {
                    #expect(explain(request, facts: .none(ageSeconds: nil), using: file).decision == decision)
                }
            }
        }
        for reason in ["TARGETING_MATCH", "DEFAULT", "KILL_SWITCH", "NO_LOCALE", "NONE", "ERROR"] {
            #expect(reasons[reason, default: 0] > 1000, "\(reasons)")
        }
    }

    static func answer(_ decision: Decision, _ file: RulesFile) -> ReferenceEvaluator.Answer {
        var answer = ReferenceEvaluator.Answer(reason: decision.reason.rawValue)
        if case .serve(_, let identifier, _) = decision.outcome { answer.message = identifier.description }
        answer.rule = decision.ruleID(in: file)
        return answer
    }
}
