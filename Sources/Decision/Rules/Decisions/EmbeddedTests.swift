internal import Facts
internal import System

public struct TestResult: Sendable, Hashable {
    public let name: String
    public let index: Int
    public let decision: Decision
    public let differences: [TestDifference]

    /// True when the test expects a message that is not approved yet, and would pass if Apple had approved every
    /// message.
    public let awaitsApproval: Bool

    /// An author may publish rules before the approval, so neither the compiler nor the loader may refuse a file
    /// because of such a test.
    public var passes: Bool { differences.isEmpty || awaitsApproval }
}

public struct TestDifference: Sendable, Hashable, CustomStringConvertible {
    /// The name of the point: `rule`, `arm`, `message`, `reason` or `serve`.
    public let subject: String
    public let expected: String
    public let found: String

    public var description: String { "\(subject): expected \(expected), found \(found)" }
}

/// Runs the tests that a rules source carries. The tool runs them, and so does the process that loads the file.
public enum EmbeddedTests {
    /// Runs tests with the rules that stand beside them and returns the results in their order. The tests assume that everything can
    /// be signed. They also run with the kill switch off, except for a test that expects `KILL_SWITCH`: in an incident
    /// somebody turns the switch on in a file whose tests describe what the rules do without it.
    public static func run(_ model: RulesModel, _ file: RulesFile) -> [TestResult] {
        let factCount = file.tables.factDeclarations.count
        var unkilled = model
        unkilled.killSwitch = false
        let (asItIs, switchedOff) = (file, model.killSwitch ? RulesFile(unkilled, digest: file.digest) : file)
        return model.tests.enumerated().map { index, test in
            let expectsSwitch = test.expectation.reason == DecisionReason.killSwitch.rawValue
            let file = expectsSwitch ? asItIs : switchedOff
            let asked = request(of: test, file)
            let known = facts(of: test, factCount)
            let decision = decide(asked, facts: known, using: file)
            let found = differences(decision, test.expectation, file)
            let approved = found.isEmpty ? decision : decideAsApproved(asked, facts: known, using: file)
            return TestResult(
                name: test.name, index: index, decision: decision, differences: found,
                awaitsApproval: !found.isEmpty && differences(approved, test.expectation, file).isEmpty)
        }
    }

    public static func request(of test: RulesModel.EmbeddedTest, _ file: RulesFile) -> DecisionRequest {
        DecisionRequest(
            appAppleId: file.appAppleId, environment: file.environment,
            productId: test.productId, userLocale: test.userLocale,
            originalTransactionId: test.originalTransactionId, nowMilliseconds: test.nowMilliseconds,
            signing: .all)
    }

    public static func facts(of test: RulesModel.EmbeddedTest, _ factCount: Int) -> SubscriberFacts {
        guard let facts = test.facts else { return .none(ageSeconds: test.factsAgeSeconds) }
        var values = [FactValue?](repeating: nil, count: factCount)
        for fact in facts {
            if case .declared(let index) = fact.fact, values.indices.contains(index) {
                values[index] = fact.value
            }
        }
        return .literal(values, ageSeconds: test.factsAgeSeconds)
    }

    private static func differences(
        _ decision: Decision, _ expected: RulesModel.Expectation, _ file: RulesFile
    ) -> [TestDifference] {
        var differences: [TestDifference] = []
        func compare(_ subject: String, _ expected: String?, _ found: String?, isKnown: Bool = false) {
            guard let expected, isKnown || expected != found else { return }
            differences.append(TestDifference(subject: subject, expected: expected, found: found ?? "none"))
        }
        if let rule = expected.rule, rule != Self.rule(of: decision) {
            compare("rule", name(of: rule, file), name(of: Self.rule(of: decision), file), isKnown: true)
        }
        compare("arm", expected.arm, decision.armName(in: file))
        compare(
            "message", expected.message.map { file.messageName(at: $0) ?? "\($0)" },
            decision.messageName(in: file))
        compare("reason", expected.reason, decision.reason.rawValue)
        if expected.servesNothing, case .serve(let content, _) = decision.outcome {
            compare("serve", OutcomeKind.nothing.name, content.kind.name)
        }
        return differences
    }

    private static func name(of rule: RulesModel.RuleExpectation, _ file: RulesFile) -> String {
        switch rule {
        case .rule(let index): file.ruleID(at: index) ?? "\(index)"
        case .default: "default"
        case .none: "none"
        }
    }

    private static func rule(of decision: Decision) -> RulesModel.RuleExpectation {
        if let index = decision.ruleIndex { return .rule(index) }
        return decision.reason == .default ? .default : .none
    }
}
