import Facts
import Rules
import Support
import Testing

@Suite("Embedded tests")
struct EmbeddedTestsTests {
    typealias Expectation = RulesModel.Expectation

    /// An expectation, and its differences from the decision, which has the rule `second`, arm `a` and message `text`.
    static let rows: [(Expectation, [String])] = [
        (.init(rule: .rule(1), arm: "a", message: 0, reason: "SPLIT"), []),
        (.init(rule: .rule(0)), ["rule: expected first, found second"]),
        (.init(rule: .default), ["rule: expected default, found second"]),
        (.init(rule: RulesModel.RuleExpectation.none), ["rule: expected none, found second"]),
        (.init(arm: "b"), ["arm: expected b, found a"]),
        (.init(message: 1), ["message: expected switch, found text"]),
        (.init(reason: "DEFAULT"), ["reason: expected DEFAULT, found SPLIT"]),
        (.init(servesNothing: true), ["serve: expected none, found message"]),
        (.init(), []),
    ]

    @Test("report each difference between the expectation and the decision", arguments: rows.indices)
    func differences(row: Int) throws {
        let (expectation, expected) = Self.rows[row]
        let results = Self.run { model in
            var first = RulesModel.Rule(id: "first", outcome: RuleWorld.offer)
            first.condition = .equal(RuleWorld.text, .string("x"))
            let arms = [RulesModel.Arm(name: "a", weight: 10_000, outcome: .message(0))]
            model.rules = [first, .init(id: "second", choice: .variants(.init(salt: "v", arms: arms)))]
            model.tests = [Self.test(expectation)]
        }
        let result = try #require(results.first)
        #expect(result.differences.map(\.description) == expected)
        #expect(result.passes == expected.isEmpty)
        #expect(result.name == "t")
    }

    @Test("wait for Apple's approval when nothing else is wrong")
    func approval() throws {
        let results = Self.run { model in
            model.messages[0].identifiers[0].unapproved = .pending
            model.rules = [.init(id: "first", outcome: .message(0))]
            model.tests = [
                Self.test(.init(rule: .rule(0), message: 0)), Self.test(.init(rule: .default)),
                Self.test(.init(reason: "UNAPPROVED", servesNothing: true)),
            ]
            for index in model.tests.indices { model.tests[index].name = "\(index)" }
        }
        #expect(results.map(\.passes) == [true, false, true])
        #expect(results.map(\.awaitsApproval) == [true, false, false])
        #expect(results.map(\.differences.isEmpty) == [false, false, true])
        #expect(results[0].decision.reason == .unapproved)
    }

    @Test("have facts, and can be served offers, which need a signature")
    func facts() throws {
        let results = Self.run { model in
            var rule = RulesModel.Rule(id: "first", outcome: RuleWorld.offer)
            rule.condition = .all([
                .equal(RuleWorld.text, .string("x")), .equal(RuleWorld.count, .integer(3)),
                .equal(RuleWorld.last, .date(5)), .equal(.factsFound, .boolean(true)),
                .equal(.factsAgeSeconds, .integer(9)),
            ])
            model.rules = [rule]
            var test = Self.test(.init(rule: .rule(0)))
            test.facts = [
                .init(fact: RuleWorld.text, value: .string("x")),
                .init(fact: RuleWorld.count, value: .integer(3)),
                .init(fact: RuleWorld.last, value: .date(5)),
            ]
            test.factsAgeSeconds = 9
            var without = Self.test(.init(rule: RulesModel.RuleExpectation.none, servesNothing: true))
            without.name = "no record"
            model.tests = [test, without]
        }
        #expect(results.map(\.passes) == [true, true])
    }

    private static func run(_ change: (inout RulesModel) -> Void) -> [TestResult] {
        var model = RuleWorld.model
        change(&model)
        return EmbeddedTests.run(model, model.file)
    }

    private static func test(_ expectation: Expectation) -> RulesModel.EmbeddedTest {
        .init(
            name: "t", productId: "p", userLocale: "en-US", originalTransactionId: "1",
            nowMilliseconds: RuleWorld.now, expectation: expectation)
    }
}
