import Authoring
import JSON
import Rules
import Support
import System
import Testing

@Suite("The evaluator and the naive evaluator")
struct ReferenceTests {
    /// For each source, the tests make this many requests by each of `subscriberCount` subscribers.
    static let requestCount = 64
    static let subscriberCount = 32
    static let sourceCount = isShort ? 8 : 128
    /// True for a short run. Sanitizers make each decision many times slower, and check its memory, not its result.
    static let isShort = ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") != "1"

    /// Counts how often each result occurred. Agreement on a result that never occurs would prove nothing.
    private struct Tally {
        var outcomes: [String: Int] = [:]
        var arms = 0
        var shadows = 0
        var failures = ReferenceEvaluator.Failures()
        /// The number of draws by the step that failed afterwards. `held out` counts the draws in a shadow.
        var assigned: [String: Int] = [:]

        mutating func add(_ answer: ReferenceEvaluator.Answer) {
            outcomes[answer.reason, default: 0] += 1
            outcomes[answer.kind ?? "none", default: 0] += 1
            if answer.arm != nil { arms += 1 }
            if answer.shadow != nil { shadows += 1 }
            for draw in answer.assigned {
                assigned[draw[2] ?? "", default: 0] += 1
                if answer.isHeldOut { assigned["held out", default: 0] += 1 }
            }
            if answer.assigned.count > 1 { assigned["several", default: 0] += 1 }
            failures.notInRollout += answer.failures.notInRollout
            failures.noArm += answer.failures.noArm
            failures.capped += answer.failures.capped
            failures.unapproved += answer.failures.unapproved
            failures.noLocale += answer.failures.noLocale
            failures.signFailed += answer.failures.signFailed
        }

        /// The results that occurred fewer than ten times.
        var missing: [String] {
            let kinds = ["none", "message", "switch", "offer", "advancedCommerce"]
            let reasons = DecisionReason.allCases.filter { $0 != .disabled }.map(\.rawValue)
            let others = [
                ("arm", arms), ("shadow", shadows), ("not in rollout", failures.notInRollout),
                ("no arm", failures.noArm), ("capped", failures.capped), ("unapproved", failures.unapproved),
                ("no locale", failures.noLocale), ("not signed", failures.signFailed),
            ]
            let draws = ["rollout", "arm", "caps", "approval", "locale", "signing", "held out", "several"]
            let counts =
                (kinds + reasons).map { ($0, outcomes[$0, default: 0]) } + others
                + draws.map { ("assigned, \($0)", assigned[$0, default: 0]) }
            return counts.filter { $0.1 < 10 }.map { "\($0.0): \($0.1)" }
        }
    }

    /// The number of parts of the work, which can run on different processors.
    static let partCount = 4

    @Test("agree on 262,144 random rules, requests and facts in each of four parts", arguments: 0..<partCount)
    func agreement(part: Int) throws {
        var world = RandomRules(random: SeededGenerator(for: "random rules, part \(part)"))
        var tally = Tally()
        for number in 0..<Self.sourceCount {
            let isSame = try agree(world.source(isKilled: number % 32 == 7), &world, &tally)
            guard isSame else { return }
        }
        // With new seeds, chance decides how often a result occurs.
        let hasFixedSeed = ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") != "1"
        if !Self.isShort, hasFixedSeed { #expect(tally.missing == []) }
    }

    /// Makes all requests to one source. Returns true when the two evaluators agree; otherwise records an issue.
    private func agree(_ source: JSONNode, _ world: inout RandomRules, _ tally: inout Tally) throws -> Bool {
        let text = source.serialized()
        let rules = try RulesCompiler.resolve(text)
        let file = rules.file
        guard try RulesCompiler.resolve(rules.text).text == rules.text else {
            Issue.record("does not resolve to itself: \(String(decoding: rules.text, as: UTF8.self))")
            return false
        }
        let reference = ReferenceEvaluator(source: ReferenceSource(source))
        let requests = (0..<Self.requestCount).map { _ in ReferenceRequest(world.request()) }
        let subscribers = (0..<Self.subscriberCount).map { _ in world.subscriber() }
        let stored = try StoredFacts(subscribers.map(\.values), rules: file)
        for (number, subscriber) in subscribers.enumerated() {
            // The facts come from a facts file, as in the server, or from a literal, as in a tool.
            let fromFile = subscriber.ageSeconds.map { stored.facts(of: String(number + 1), ageSeconds: $0) }
            let facts = fromFile ?? subscriber.literal
            for request in requests {
                let subject = ReferenceSubject(asking: request, subscriber: subscriber)
                let expected = reference.answer(subject)
                let found = Self.answer(decide(request.request, facts: facts, using: file), file)
                tally.add(found)
                // The innermost loop does not use #expect, because that costs more than the decision.
                guard found == expected else {
                    report(request.request, subscriber.literal, found, expected, text)
                    return false
                }
            }
            guard checkOthers(requests[number].request, facts, subscriber, file, reference) else {
                Issue.record("\(requests[number]) \(subscriber) \(String(decoding: text, as: UTF8.self))")
                return false
            }
        }
        return true
    }

    /// Returns true when a literal and an explanation give the same decision, and the evaluators agree when nothing can
    /// be signed.
    private func checkOthers(
        _ request: DecisionRequest, _ facts: SubscriberFacts, _ subscriber: RandomSubscriber,
        _ file: RulesFile, _ reference: ReferenceEvaluator
    ) -> Bool {
        let decision = decide(request, facts: facts, using: file)
        guard decide(request, facts: subscriber.literal, using: file) == decision else { return false }
        let explanation = explain(request, facts: facts, using: file)
        guard explanation.decision == decision, !explanation.lines.isEmpty else { return false }
        guard !request.signing.isEmpty else { return true }
        var unsigned = request
        unsigned.signing = []
        let subject = ReferenceSubject(asking: ReferenceRequest(unsigned), subscriber: subscriber)
        let next = decide(unsigned, facts: facts, using: file)
        return Self.answer(next, file) == reference.answer(subject)
    }

    private func report(
        _ request: DecisionRequest, _ facts: SubscriberFacts, _ found: ReferenceEvaluator.Answer,
        _ expected: ReferenceEvaluator.Answer, _ text: [UInt8]
    ) {
        let source = String(decoding: text, as: UTF8.self)
        Issue.record("\(request) \(facts): \(found), not \(expected), by \(source)")
    }

    static func answer(_ decision: Decision, _ file: RulesFile) -> ReferenceEvaluator.Answer {
        var answer = ReferenceEvaluator.Answer(reason: decision.reason.rawValue)
        if case .serve(let content, let identifier) = decision.outcome {
            answer.kind = content.kind.name
            answer.identifier = identifier.description
        }
        answer.rule = decision.ruleID(in: file)
        answer.arm = decision.armName(in: file)
        answer.isHeldOut = decision.isHeldOut
        answer.shadow = decision.shadow.map { shadow in
            [
                shadow.ruleID(in: file), shadow.armName(in: file), shadow.messageName(in: file),
                shadow.reason.rawValue,
            ]
        }
        answer.assigned = decision.assigned.map {
            [$0.ruleID(in: file), $0.armName(in: file), $0.step.rawValue]
        }
        let skipped = decision.skipped
        answer.failures = ReferenceEvaluator.Failures(
            notInRollout: Int(skipped.notInRollout), noArm: Int(skipped.noArm), capped: Int(skipped.capped),
            unapproved: Int(skipped.unapproved), noLocale: Int(skipped.noLocale),
            signFailed: Int(skipped.signFailed))
        return answer
    }
}
