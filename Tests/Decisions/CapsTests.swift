import Facts
import Rules
import Testing

/// The facts about a subscriber, and true when an offer passes the caps.
struct CapsRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let caps: RulesModel.OfferCaps
    let facts: SubscriberFacts
    let passes: Bool

    init(
        _ name: String, _ facts: SubscriberFacts, _ passes: Bool, most: Int64? = 1, days: Int64? = 180,
        allows: Bool = false, declared: Set<Fact> = [RuleWorld.count, RuleWorld.last]
    ) {
        testDescription = name
        caps = .init(
            maxAccepted: most, minDaysSinceLast: days,
            acceptedFact: declared.contains(RuleWorld.count) ? RuleWorld.count : nil,
            lastFact: declared.contains(RuleWorld.last) ? RuleWorld.last : nil, allowsUnknown: allows)
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
        CapsRow("as many offers as allowed", RuleWorld.facts(count: 1, last: ago(1000)), false),
        CapsRow("one offer less than allowed", RuleWorld.facts(count: 1, last: ago(1000)), true, most: 2),
        CapsRow("exactly the required days", RuleWorld.facts(count: 1, last: ago(180)), true, most: 2),
        CapsRow("a millisecond too soon", RuleWorld.facts(count: 1, last: ago(180, 1)), false, most: 2),
        CapsRow("an offer in the future", RuleWorld.facts(count: 0, last: RuleWorld.now + 1), false),
        CapsRow("the count is missing", RuleWorld.facts(last: ago(1000)), false),
        CapsRow("the count is missing and allowed", RuleWorld.facts(last: ago(1000)), true, allows: true),
        CapsRow("the date is missing", RuleWorld.facts(count: 1), false, most: 2),
        CapsRow("the date is missing and allowed", RuleWorld.facts(count: 1), true, most: 2, allows: true),
        CapsRow("no record", .none(ageSeconds: 60), false),
        CapsRow("no record, allowed", .none(ageSeconds: nil), true, allows: true),
        CapsRow("too many offers, and unknown is allowed", RuleWorld.facts(count: 1), false, allows: true),
        CapsRow("too soon, and unknown is allowed", RuleWorld.facts(last: ago(1)), false, allows: true),
        CapsRow("no limit", .none(ageSeconds: nil), true, most: nil, days: nil),
    ]

    /// Values of the count and the date. `passes` is true when an offer passes the cap on the count alone (at most two
    /// offers), the cap on the date alone, and the two caps together.
    private static let known: [(count: Int64?, last: Int64?, passes: [Bool])] = [
        (nil, nil, [false, false, false]), (nil, ago(1000), [false, false, false]),
        (0, nil, [true, true, true]), (0, ago(1000), [true, true, true]),
        (1, nil, [false, false, false]), (1, ago(1000), [true, true, true]),
        (1, ago(1), [true, false, false]), (2, ago(1000), [false, true, false]),
        (-1, nil, [false, false, false]),
    ]

    /// When both facts are declared, the server reads both, whichever cap is set (retention-rules(5), SWITCHES AND
    /// OFFERS).
    static let bothDeclared = known.flatMap { count, last, passes in
        zip([(2, nil), (nil, 180), (2, 180)] as [(Int64?, Int64?)], passes).map { limits, passes in
            CapsRow(
                "both declared, \(limits), \(text(count)), \(text(last))",
                RuleWorld.facts(count: count, last: last), passes, most: limits.0, days: limits.1)
        }
    }

    /// Rows with one declared fact. The server ignores the fact that is not declared.
    static let oneDeclared = [
        CapsRow("only the count", RuleWorld.facts(), false, days: nil, declared: [RuleWorld.count]),
        CapsRow("only the count", RuleWorld.facts(count: 0), true, days: nil, declared: [RuleWorld.count]),
        CapsRow(
            "only the count", RuleWorld.facts(count: 1), true, most: 2, days: nil, declared: [RuleWorld.count]
        ),
        CapsRow(
            "only the count", RuleWorld.facts(count: 2), false, most: 2, days: nil,
            declared: [RuleWorld.count]),
        CapsRow("only the date", RuleWorld.facts(count: 0), false, most: nil, declared: [RuleWorld.last]),
        CapsRow(
            "only the date", RuleWorld.facts(last: ago(180)), true, most: nil, declared: [RuleWorld.last]),
        CapsRow(
            "only the date", RuleWorld.facts(last: ago(179)), false, most: nil, declared: [RuleWorld.last]),
        CapsRow(
            "only the date, allowed", RuleWorld.facts(), true, most: nil, allows: true,
            declared: [RuleWorld.last]),
    ]

    private static func text(_ number: Int64?) -> String { number.map { "\($0)" } ?? "missing" }

    @Test("let an offer pass or refuse it", arguments: rows + bothDeclared + oneDeclared)
    func verdicts(row: CapsRow) throws {
        let file = RuleWorld.file { model in
            model.caps = row.caps
            model.rules = [.init(id: "offer", outcome: RuleWorld.offer)]
            model.defaultOutcome = .message(0)
        }
        // The shadow has the offer even when it cannot be signed.
        let signing: SigningCapabilities = row.passes ? .all : []
        let decision = decide(RuleWorld.request(signing: signing), facts: row.facts, using: file)
        #expect(decision.ruleID(in: file) == (row.passes ? "offer" : nil))
        #expect(decision.reason == (row.passes ? .targetingMatch : .default))
        #expect(decision.skipped.capped == (row.passes ? 0 : 1))
        #expect(decision.shadow?.ruleID(in: file) == (row.passes ? nil : "offer"))
        #expect(decision.shadow?.messageName(in: file) == (row.passes ? nil : "offer"))
    }

    @Test("apply only to offers, also in arms and in the default")
    func others() throws {
        let outcomes: [RulesModel.Outcome] = [
            .message(0), .switch(message: 1, productId: "q", billingPlanType: nil), .nothing,
            .advancedCommerce(message: 3, request: "{}"),
        ]
        for outcome in outcomes {
            let file = RuleWorld.file { model in
                model.caps = .init(maxAccepted: 1, acceptedFact: RuleWorld.count)
                model.rules = [.init(id: "r", outcome: outcome)]
            }
            let decision = decide(RuleWorld.request(), facts: .none(ageSeconds: nil), using: file)
            #expect(decision.ruleIndex == 0)
        }
        let file = RuleWorld.file { model in
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
