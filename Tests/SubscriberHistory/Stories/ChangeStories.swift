import SubscriberHistory

extension Story {
    /// Upgrades, downgrades, crossgrades, changed prices.
    static let changes: [Story] = [
        Story(
            "An upgrade in the middle of a period",
            {
                $0.buy()
                $0.to(10)
                $0.upgrade(.premium)
                $0.renew()
            },
            .on(9, [.paidPeriods: 1, .currentProductId: "monthly"]),
            .on(
                11,
                [
                    .paidPeriods: 1, .currentProductId: "premium", .renewalProductId: "premium",
                    .expiresAt: .day(40), .price: 19_990, .firstPurchaseAt: .day(0),
                    .historyComplete: true, .status: "active",
                ]
            ),
            .on(41, [.paidPeriods: 2, .expiresAt: .day(70)])
        ),
        Story(
            "Two upgrades in one period",
            {
                $0.buy(.basic)
                $0.to(5)
                $0.upgrade(.monthly)
                $0.to(12)
                $0.upgrade(.premium)
                $0.to(13)
                $0.sync()
            },
            .on(12, [.paidPeriods: 1, .currentProductId: "premium"]),
            .on(14, [.paidPeriods: 1, .currentProductId: "premium", .expiresAt: .day(42)])
        ),
        Story(
            "An upgrade from monthly to annual",
            {
                $0.buy()
                $0.renew()
                $0.to(40)
                $0.upgrade(.annual)
                $0.renew()
            },
            .on(41, [.paidPeriods: 2, .currentProductId: "annual", .expiresAt: .day(405)]),
            .on(406, [.paidPeriods: 3, .expiresAt: .day(770), .historyComplete: true])
        ),
        Story(
            "An upgrade from a trial",
            {
                $0.buy(.monthly, .trial)
                $0.to(3)
                $0.upgrade(.premium)
            },
            .on(4, [.inTrial: false, .inIntroOffer: false, .paidPeriods: 1, .currentProductId: "premium"])
        ),
        Story(
            "An upgrade that Apple refunded",
            {
                $0.buy()
                $0.to(10)
                $0.upgrade(.premium)
                $0.to(12)
                $0.refund()
            },
            .on(11, [.paidPeriods: 1, .refunds: 0]),
            .on(13, [.paidPeriods: 1, .refunds: 1, .status: "revoked", .lastRefundAt: .day(12)])
        ),
        Story(
            "An upgrade between the charge and the begin of a period",
            {
                $0.buy()
                $0.renew(ahead: 24)
                $0.to(29.5)
                $0.upgrade(.premium)
                $0.to(35)
                $0.sync()
            },
            .on(29.4, [.currentProductId: "monthly", .paidPeriods: 2]),
            .on(29.6, [.currentProductId: "premium", .paidPeriods: 2, .expiresAt: .day(59.5)]),
            .on(31, [.currentProductId: "premium", .paidPeriods: 2, .expiresAt: .day(59.5)]),
            .on(36, [.currentProductId: "premium", .paidPeriods: 2, .expiresAt: .day(59.5)])
        ),
        Story(
            "The same in Apple's history alone",
            {
                $0.losing {
                    $0.buy()
                    $0.renew(ahead: 24)
                    $0.to(29.5)
                    $0.upgrade(.premium)
                }
                $0.to(35)
                $0.sync()
            },
            .on(36, [.currentProductId: "premium", .paidPeriods: 2, .expiresAt: .day(59.5)])
        ),
        Story(
            "The same with a second upgrade, in Apple's history alone",
            {
                $0.losing {
                    $0.buy(.basic)
                    $0.renew(ahead: 24)
                    $0.to(29.5)
                    $0.upgrade(.monthly)
                    $0.to(33)
                    $0.upgrade(.premium)
                }
                $0.to(35)
                $0.sync()
            },
            .on(36, [.currentProductId: "premium", .paidPeriods: 2, .expiresAt: .day(63)])
        ),
        Story(
            "A downgrade at renewal",
            {
                $0.buy(.premium)
                $0.to(10)
                $0.downgrade(.basic)
                $0.renew()
            },
            .on(
                11,
                [
                    .currentProductId: "premium", .renewalProductId: "basic", .price: 19_990,
                    .renewalPrice: 4_990, .paidPeriods: 1,
                ]
            ),
            .on(31, [.currentProductId: "basic", .price: 4_990, .paidPeriods: 2, .expiresAt: .day(60)])
        ),
        Story(
            "A crossgrade to a plan of the same length, at once",
            {
                $0.buy()
                $0.to(10)
                $0.upgrade(Plan(product: "other"))
            },
            .on(11, [.currentProductId: "other", .paidPeriods: 1, .expiresAt: .day(40)])
        ),
        Story(
            "A crossgrade to a plan of another length, at renewal",
            {
                $0.buy()
                $0.to(10)
                $0.downgrade(.annual)
                $0.renew()
            },
            .on(11, [.currentProductId: "monthly", .renewalProductId: "annual", .expiresAt: .day(30)]),
            .on(31, [.currentProductId: "annual", .paidPeriods: 2, .expiresAt: .day(395)])
        ),
        Story(
            "A change that the customer took back",
            {
                $0.buy(.premium)
                $0.to(10)
                $0.downgrade(.basic)
                $0.to(12)
                $0.revert()
                $0.renew()
            },
            .on(11, [.renewalProductId: "basic"]),
            .on(13, [.renewalProductId: "premium", .renewalPrice: 19_990]),
            .on(31, [.currentProductId: "premium", .paidPeriods: 2])
        ),
        Story(
            "Several products of one group, one after the other",
            {
                $0.buy(.basic)
                $0.to(5)
                $0.downgrade(.monthly)
                $0.renew()
                $0.to(35)
                $0.downgrade(.premium)
                $0.renew()
                $0.to(65)
                $0.upgrade(.annual)
            },
            .on(31, [.currentProductId: "monthly", .paidPeriods: 2]),
            .on(61, [.currentProductId: "premium", .paidPeriods: 3]),
            .on(66, [.currentProductId: "annual", .paidPeriods: 3, .subscriptionGroup: "group"])
        ),
        Story(
            "The product moves to another group",
            {
                $0.buy()
                $0.coming.group = "other group"
                $0.renew()
            },
            .on(29, [.subscriptionGroup: "group"]),
            .on(31, [.subscriptionGroup: "other group", .paidPeriods: 2])
        ),
        Story(
            "The customer agrees to a higher price",
            {
                $0.buy()
                $0.to(10)
                $0.raisePrice(12_990, isAccepted: false)
                $0.to(15)
                $0.raisePrice(12_990, isAccepted: true)
                $0.renew()
            },
            .on(9, [.renewalPrice: 9_990]),
            .on(11, [.price: 9_990, .renewalPrice: 12_990]),
            .on(31, [.price: 12_990, .paidPeriods: 2])
        ),
        Story(
            "The customer does not agree to a higher price",
            {
                $0.buy()
                $0.to(10)
                $0.raisePrice(12_990, isAccepted: false)
                $0.expire("PRICE_INCREASE")
            },
            .on(31, [.status: "expired", .paidPeriods: 1, .cancellations: 0, .autoRenew: false]),
            .on(32, [.autoRenewOffAt: .missing(.eventsIncomplete)])
        ),
        Story(
            "The customer cancels because of a higher price: no subtype",
            {
                $0.buy()
                $0.to(10)
                $0.raisePrice(12_990, isAccepted: false)
                $0.to(11)
                $0.cancel(hasSubtype: false)
                $0.to(20)
                $0.resume(hasSubtype: false)
            },
            .on(12, [.autoRenew: false, .autoRenewOffAt: .day(11), .cancellations: 1]),
            .on(
                21,
                [
                    .autoRenew: true, .autoRenewOffAt: .missing(.neverHappened), .cancellations: 1,
                    .lastCancelAt: .day(11),
                ]
            )
        ),
        Story(
            "A monthly commitment of twelve months",
            {
                $0.buy(Plan(product: "commitment", price: 7_990, billing: "MONTHLY"))
                $0.renew(11)
            },
            .on(1, [.billingPlanType: "MONTHLY", .paidPeriods: 1, .price: 7_990]),
            .on(331, [.paidPeriods: 12, .billingPlanType: "MONTHLY"])
        ),
        Story(
            "Apple extends a period",
            {
                $0.buy()
                $0.to(10)
                $0.extend(days: 14)
                $0.renew()
            },
            .on(9, [.expiresAt: .day(30), .renewsAt: .day(30)]),
            .on(31, [.expiresAt: .day(44), .renewsAt: .day(44), .status: "active", .paidPeriods: 1]),
            .on(45, [.expiresAt: .day(74), .paidPeriods: 2, .historyComplete: true])
        ),
        Story(
            "Six upgrades, each near the end of the period before",
            {
                $0.buy()
                for number in 1...6 {
                    $0.to(Double(number * 29))
                    $0.upgrade(Plan(product: "plan \(number)"))
                }
            },
            .on(1, [.paidPeriods: 1]),
            .on(30, [.paidPeriods: 1]),
            .on(59, [.paidPeriods: 2]),
            .on(88, [.paidPeriods: 2]),
            .on(117, [.paidPeriods: 3]),
            .on(175, [.paidPeriods: 4])
        ),
    ]
}
