public import DataFiles
internal import Vocabulary

/// What came of one test that a rules file carries.
public struct TestResult: Sendable, Hashable {
    /// The test's name.
    public let name: String
    /// Its place in the file, counted from 0.
    public let index: Int
    /// What was decided.
    public let decision: Decision
    /// What came out otherwise than expected.
    public let differences: [TestDifference]

    /// Whether something came out otherwise, and nothing would if Apple had approved every message: what a test expects
    /// of a message that is masked.
    public let awaitsApproval: Bool

    /// Whether all came out as expected, or will with Apple's approval. Rules may be published before that, and the
    /// tests of what is not served yet must keep neither compiler nor loader from it.
    public var passes: Bool { differences.isEmpty || awaitsApproval }
}

/// One thing that came out otherwise than a test expects.
public struct TestDifference: Sendable, Hashable, CustomStringConvertible {
    /// What: `rule`, `arm`, `message`, `reason`, `serve`.
    public let subject: String
    /// What the test expects.
    public let expected: String
    /// What came out.
    public let found: String

    /// `rule: expected annual_upsell, found none`
    public var description: String { "\(subject): expected \(expected), found \(found)" }
}

/// Runs the tests that a rules file carries, for the tool and for whoever loads the file.
public enum EmbeddedTests {
    /// What came of each test, in the order of the file. Signing is taken for possible, and the kill switch for off but
    /// by a test that expects it: in an incident it is thrown in a file whose tests say what the rules do otherwise.
    public static func run(_ file: RulesFile) -> [TestResult] {
        let factCount = file.tables.factDeclarations.count
        let (asItIs, switchedOff) = (file, file.withKillSwitchOff)
        return file.embeddedTests.enumerated().map { index, test in
            let expectsSwitch = test.expectation.reason == DecisionReason.killSwitch.rawValue
            let file = expectsSwitch ? asItIs : switchedOff
            let asked = request(of: test, file)
            let known = facts(of: test, factCount)
            let decision = decide(asked, facts: known, using: file)
            let found = differences(decision, test.expectation, file)
            let approved = found.isEmpty ? decision : decideAsApproved(asked, facts: known, using: file)
            return TestResult(
                name: test.name,
                index: index,
                decision: decision,
                differences: found,
                awaitsApproval: !found.isEmpty && differences(approved, test.expectation, file).isEmpty
            )
        }
    }

    /// The request that a test describes.
    public static func request(of test: RulesModel.EmbeddedTest, _ file: RulesFile) -> DecisionRequest {
        DecisionRequest(
            appAppleId: file.header.appAppleId,
            environment: file.header.environment,
            productId: test.productId,
            userLocale: test.userLocale,
            originalTransactionId: test.originalTransactionId,
            nowMilliseconds: test.nowMilliseconds,
            signing: .all
        )
    }

    /// The subscriber that a test describes, among so many declared facts.
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
        _ decision: Decision,
        _ expected: RulesModel.Expectation,
        _ file: RulesFile
    ) -> [TestDifference] {
        var differences: [TestDifference] = []
        func compare(_ subject: String, _ expected: String?, _ found: String?, isKnown: Bool = false) {
            guard let expected, isKnown || expected != found else { return }
            differences.append(
                TestDifference(subject: subject, expected: expected, found: found ?? "none")
            )
        }
        if let rule = expected.rule, rule != Self.rule(of: decision) {
            compare("rule", name(of: rule, file), name(of: Self.rule(of: decision), file), isKnown: true)
        }
        compare("arm", expected.arm, decision.armName(in: file))
        compare(
            "message",
            expected.message.map { file.messageName(at: $0) ?? "\($0)" },
            decision.messageName(in: file)
        )
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
