import DataFiles
import Decisions
import Support
import Testing
import Vocabulary

@Suite("A missing fact")
struct UnknownTests {
    static let yes = Condition.equal(.productId, .string("p"))
    static let no = Condition.notEqual(.productId, .string("p"))
    static let text = Fact.declared(0)
    static let number = Fact.declared(1)
    static let date = Fact.declared(2)
    static let truth = Fact.declared(3)
    static let missing = Condition.equal(text, .string("x"))
    static let missingPrefix = Condition.prefix(text, "x")

    static let rows: [(Condition, Bool, UInt32)] = [
        (missing, false, 1), (.not(missing), false, 1), (missingPrefix, false, 1),
        (.not(missingPrefix), false, 1), (.notEqual(text, .string("x")), false, 1),
        (.isIn(text, [.string("x")]), false, 1), (.isNotIn(text, [.string("x")]), false, 1),
        (.any([missing, yes]), true, 0), (.any([yes, missing]), true, 0), (.any([missing, no]), false, 1),
        (.any([no, missing]), false, 1), (.all([missing, yes]), false, 1), (.all([yes, missing]), false, 1),
        (.all([missing, no]), false, 0), (.all([no, missing]), false, 0),
        (.not(.all([missing, no])), true, 0),
        (.not(.any([missing, no])), false, 1), (.not(.not(missing)), false, 1),
        (.greater(number, .integer(1)), false, 1), (.greaterOrEqual(number, .integer(1)), false, 1),
        (.less(date, .date(1)), false, 1), (.lessOrEqual(date, .date(1)), false, 1),
        (.between(number, .integer(0), .integer(1)), false, 1), (.olderThanDays(date, 1), false, 1),
        (.not(.youngerThanDays(date, 1)), false, 1), (.equal(truth, .boolean(false)), false, 1),
        (.isNotIn(truth, [.boolean(true)]), false, 1), (.equal(.factsAgeSeconds, .integer(0)), false, 1),
        (.exists(text, true), false, 0), (.exists(text, false), true, 0),
        (.not(.exists(number, true)), true, 0),
        (.exists(.factsAgeSeconds, false), true, 0), (.equal(.factsFound, .boolean(false)), true, 0),
        (.segment(0), false, 1), (.not(.segment(0)), false, 1), (.any([.segment(0), yes]), true, 0),
    ]

    @Test("makes a predicate unknown, and groups follow Kleene's logic", arguments: rows.indices)
    func kleene(row: Int) {
        let (condition, matches, unknown) = Self.rows[row]
        var model = RulesModel(appAppleId: 7, bundleId: "b", environment: .production)
        model.facts = [
            .init(name: "text", kind: .string), .init(name: "number", kind: .integer),
            .init(name: "date", kind: .date), .init(name: "truth", kind: .boolean),
        ]
        model.segments = [.init(name: "s", condition: Self.missing)]
        var rule = RulesModel.Rule(id: "r", outcome: .nothing)
        rule.condition = condition
        model.rules = [rule]
        let file = model.file
        let request = DecisionRequest(
            appAppleId: 7, environment: .production, productId: "p", userLocale: "en",
            originalTransactionId: "x", nowMilliseconds: 0)
        let decision = decide(request, facts: .none(ageSeconds: nil), using: file)
        #expect((decision.reason == .targetingMatch) == matches)
        #expect(decision.skipped.unknownCondition == unknown)
    }
}
