package import Facts
package import Rules
internal import System

package enum SampleModel {
    package static let storefront = Fact.declared(0)
    package static let paidPeriods = Fact.declared(1)
    package static let lastOfferAt = Fact.declared(2)
    package static let inTrial = Fact.declared(3)

    package static let model: RulesModel = {
        var model = PlainSample.model
        model.facts = [
            .init(name: "storefront", kind: .string), .init(name: "paidPeriods", kind: .integer),
            .init(name: "lastOfferAt", kind: .date), .init(name: "inTrial", kind: .boolean),
        ]
        model.products = [.init(name: "pro_monthly", group: "pro"), .init(name: "pro_annual")]
        model.messages += [
            .init(
                name: "half_price", kind: .offer,
                identifiers: [.init(locale: "en-US", identifier: UUID(high: 5, low: 6), unapproved: .pending)]
            ),
            .init(
                name: "cheaper", kind: .advancedCommerce,
                identifiers: [.init(locale: "de-DE", identifier: UUID(high: 7, low: 8))]),
        ]
        model.segments = [
            .init(name: "loyal", condition: .greaterOrEqual(paidPeriods, .integer(3))),
            .init(name: "loyal_payer", condition: .all([.segment(0), .equal(inTrial, .boolean(false))])),
        ]
        model.holdout = .init(
            split: .init(salt: "holdout-2026q4", basisPoints: 1000), until: 1_798_761_600_000,
            outcome: .message(0))
        model.caps = .init(
            maxAccepted: 1, minDaysSinceLast: 180, acceptedFact: paidPeriods, lastFact: lastOfferAt,
            allowsUnknown: true)
        model.rules += rules
        model.tests = tests
        return model
    }()

    private static let rules: [RulesModel.Rule] = {
        let arms: [RulesModel.Arm] = [
            .init(
                name: "switch", weight: 4000,
                outcome: .switch(message: 1, productId: "pro_annual", billingPlanType: .monthly)),
            .init(
                name: "offer", weight: 6000,
                outcome: .offer(message: 2, productId: "pro_monthly", offerIdentifier: "save50_3m")),
        ]
        var third = RulesModel.Rule(
            id: "upsell", choice: .variants(.init(salt: "upsell-v", unit: storefront, arms: arms)))
        third.rollout = .init(salt: "upsell-1", basisPoints: 5000)
        third.condition = .any([
            .segment(1), .exists(lastOfferAt, false), .between(paidPeriods, .integer(2), .integer(5)),
            .olderThanDays(lastOfferAt, 30), .isIn(paidPeriods, [.integer(7), .integer(1)]),
            .equal(.productId, .string("pro_annual")),
        ])
        var fourth = RulesModel.Rule(
            id: "cheaper_plan",
            outcome: .advancedCommerce(message: 3, request: #"{"operation":"MODIFY_SUBSCRIPTION"}"#))
        fourth.condition = .all([
            .all([.isIn(storefront, [.string("USA"), .string("CAN")])]), .isNotIn(paidPeriods, [.integer(0)]),
            .greater(paidPeriods, .integer(1)),
        ])
        return [third, fourth, RulesModel.Rule(id: "rest", outcome: .nothing)]
    }()

    private static let tests: [RulesModel.EmbeddedTest] = [
        .init(
            name: "loyal",
            productId: "pro_monthly",
            userLocale: "en-US",
            originalTransactionId: "2000000001",
            nowMilliseconds: 1_795_219_200_000,
            facts: [
                .init(fact: paidPeriods, value: .integer(6)), .init(fact: storefront, value: .string("USA")),
                .init(fact: inTrial, value: .boolean(true)),
                .init(fact: lastOfferAt, value: .date(1_700_000_000_000)),
            ],
            factsAgeSeconds: 3600,
            expectation: .init(rule: .rule(2), arm: "switch", message: 1, reason: "SPLIT")
        ),
        .init(
            name: "unknown", productId: "basic", userLocale: "xx", originalTransactionId: "1",
            nowMilliseconds: 0, expectation: .init(rule: RulesModel.RuleExpectation.none, servesNothing: true)
        ),
    ]
}
