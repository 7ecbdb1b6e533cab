import DataFiles
import Decisions
import Testing

/// What is known of a subscriber, and whether an offer passes the caps.
struct CapsRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let caps: RulesModel.OfferCaps
    let facts: SubscriberFacts
    let passes: Bool

    init(
        _ name: String,
        _ facts: SubscriberFacts,
        _ passes: Bool,
        most: Int64? = 1,
        days: Int64? = 180,
        allows: Bool = false
    ) {
        testDescription = name
        caps = .init(
            maxAccepted: most,
            minDaysSinceLast: days,
            acceptedFact: RuleWorld.count,
            lastFact: RuleWorld.last,
            allowsUnknown: allows
        )
        self.facts = facts
        self.passes = passes
    }
}

@Suite("Caps")
struct CapsTests {
    private static func ago(_ days: Int64, _ milliseconds: Int64 = 0) -> Int64 {
        RuleWorld.now - days * RuleWorld.day + milliseconds
    }

    static let rows: [CapsRow] = [
        CapsRow("no offer yet", RuleWorld.facts(count: 0), true),
        CapsRow("as many as one may", RuleWorld.facts(count: 1, last: ago(1000)), false),
        CapsRow("one less", RuleWorld.facts(count: 1, last: ago(1000)), true, most: 2),
        CapsRow("exactly so many days", RuleWorld.facts(count: 1, last: ago(180)), true, most: 2),
        CapsRow("a millisecond too soon", RuleWorld.facts(count: 1, last: ago(180, 1)), false, most: 2),
        CapsRow("an offer in the future", RuleWorld.facts(count: 0, last: RuleWorld.now + 1), false),
        CapsRow("the count is missing", RuleWorld.facts(last: ago(1000)), false),
        CapsRow("the count is missing and allowed", RuleWorld.facts(last: ago(1000)), true, allows: true),
        CapsRow("the date is missing", RuleWorld.facts(count: 1), false, most: 2),
        CapsRow("the date is missing and allowed", RuleWorld.facts(count: 1), true, most: 2, allows: true),
        CapsRow("no record", .none(ageSeconds: 60), false),
        CapsRow("no record, allowed", .none(ageSeconds: nil), true, allows: true),
        CapsRow("too many, whatever is allowed", RuleWorld.facts(count: 1), false, allows: true),
        CapsRow("too soon, whatever is allowed", RuleWorld.facts(last: ago(1)), false, allows: true),
        CapsRow("only the count matters", RuleWorld.facts(count: 1), true, most: 2, days: nil),
        CapsRow("only the date matters", RuleWorld.facts(last: ago(180)), true, most: nil),
        CapsRow("only the date matters and is missing", RuleWorld.facts(count: 3), false, most: nil),
        CapsRow("no limit", .none(ageSeconds: nil), true, most: nil, days: nil),
    ]

    @Test("let an offer through or not", arguments: rows)
    func verdicts(row: CapsRow) throws {
        let file = try RuleWorld.file { model in
            model.caps = row.caps
            model.rules = [.init(id: "offer", outcome: RuleWorld.offer)]
            model.defaultOutcome = .message(0)
        }
        let decision = decide(RuleWorld.request(), facts: row.facts, using: file)
        #expect(decision.ruleID(in: file) == (row.passes ? "offer" : nil))
        #expect(decision.reason == (row.passes ? .targetingMatch : .default))
        #expect(decision.skipped.capped == (row.passes ? 0 : 1))
        #expect(decision.shadow?.ruleID(in: file) == (row.passes ? nil : "offer"))
        #expect(decision.shadow?.messageName(in: file) == (row.passes ? nil : "offer"))
    }

    @Test("concern offers alone, in arms and in the default too")
    func others() throws {
        let outcomes: [RulesModel.Outcome] = [
            .message(0), .switch(message: 1, productId: "q", billingPlanType: nil), .nothing,
            .advancedCommerce(message: 3, request: "{}"),
        ]
        for outcome in outcomes {
            let file = try RuleWorld.file { model in
                model.caps = .init(maxAccepted: 1, acceptedFact: RuleWorld.count)
                model.rules = [.init(id: "r", outcome: outcome)]
            }
            let decision = decide(RuleWorld.request(), facts: .none(ageSeconds: nil), using: file)
            #expect(decision.ruleIndex == 0)
        }
        let file = try RuleWorld.file { model in
            model.caps = .init(maxAccepted: 1, acceptedFact: RuleWorld.count)
            let arms = [RulesModel.Arm(name: "a", weight: 10_000, outcome: RuleWorld.offer)]
            model.rules = [.init(id: "r", choice: .variants(.init(salt: "v", arms: arms)))]
            model.defaultOutcome = RuleWorld.offer
        }
        let decision = decide(RuleWorld.request(), facts: .none(ageSeconds: nil), using: file)
        #expect(decision.reason == .capped)
        #expect(decision.skipped.capped == 2)
        #expect(decision.shadow?.reason == .split)
        #expect(decision.shadow?.armName(in: file) == "a")
    }
}
