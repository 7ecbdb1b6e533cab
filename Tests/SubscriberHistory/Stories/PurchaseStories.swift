import NotificationStore
import SubscriberHistory

extension Story {
    /// First purchases, trials and introductory offers.
    static let purchases: [Story] = [
        Story(
            "A first purchase",
            { $0.buy() },
            .on(
                0,
                [
                    .currentProductId: "monthly", .renewalProductId: "monthly", .subscriptionGroup: "group",
                    .status: "active", .autoRenew: true, .autoRenewOffAt: .missing(.neverHappened),
                    .firstPurchaseAt: .day(0), .subscribedAt: .day(0), .expiresAt: .day(30),
                    .renewsAt: .day(30), .paidPeriods: 1, .inTrial: false, .inIntroOffer: false,
                    .inRetentionOffer: false, .familyShared: false, .offersAccepted: 0,
                    .promotionalOffersAccepted: 0, .retentionOffersAccepted: 0, .winBackOffersAccepted: 0,
                    .lastOfferAt: .missing(.neverHappened), .lastOfferIdentifier: .missing(.neverHappened),
                    .lastOfferType: .missing(.neverHappened), .price: 9_990, .renewalPrice: 9_990,
                    .currency: "USD", .storefront: "USA", .billingPlanType: .missing(.noValue), .seats: 1,
                    .refunds: 0, .lastRefundAt: .missing(.neverHappened), .cancellations: 0,
                    .lastCancelAt: .missing(.neverHappened), .advancedCommerceSku: .missing(.noValue),
                    .appAccountToken: "7e3fb20b-4cdb-47cc-936d-99d65f608138", .historyComplete: true,
                ]
            ),
            .on(29.9, [.status: "active", .paidPeriods: 1]),
            .on(
                30,
                [
                    .status: .missing(.ended), .paidPeriods: .missing(.ended),
                    .offersAccepted: .missing(.ended), .refunds: .missing(.ended),
                    .cancellations: .missing(.ended), .inTrial: .missing(.ended),
                    .lastOfferAt: .missing(.ended), .currentProductId: "monthly", .expiresAt: .day(30),
                    .historyComplete: true,
                ]
            ),
            .on(-1, [.status: .missing(.noStatus), .currentProductId: .missing(.noTransaction)])
        ),
        Story(
            "A year of renewals",
            {
                $0.buy()
                $0.renew(11)
            },
            .on(29, [.paidPeriods: 1, .expiresAt: .day(30), .renewsAt: .day(30)]),
            .on(30, [.paidPeriods: 2, .expiresAt: .day(60), .renewsAt: .day(60)]),
            .on(
                331,
                [
                    .paidPeriods: 12, .firstPurchaseAt: .day(0), .subscribedAt: .day(0),
                    .historyComplete: true, .cancellations: 0, .refunds: 0,
                ]
            )
        ),
        Story(
            "A trial becomes paid",
            {
                $0.buy(.monthly, .trial)
                $0.renew(2)
            },
            .on(
                3,
                [
                    .inTrial: true, .inIntroOffer: true, .inRetentionOffer: false, .paidPeriods: 0, .price: 0,
                    .renewalPrice: 9_990, .expiresAt: .day(7), .offersAccepted: 0, .status: "active",
                ]
            ),
            .on(7, [.inTrial: false, .inIntroOffer: false, .paidPeriods: 1, .price: 9_990]),
            .on(38, [.paidPeriods: 2, .expiresAt: .day(67)])
        ),
        Story(
            "A trial ends unpaid",
            {
                $0.buy(.monthly, .trial)
                $0.to(2)
                $0.cancel()
                $0.expire()
            },
            .on(3, [.inTrial: true, .autoRenew: false, .autoRenewOffAt: .day(2), .cancellations: 1]),
            .on(
                8,
                [
                    .inTrial: false, .inIntroOffer: false, .status: "expired", .paidPeriods: 0,
                    .cancellations: 1, .lastCancelAt: .day(2), .autoRenewOffAt: .day(2),
                ]
            ),
            .on(900, [.status: "expired", .paidPeriods: 0])
        ),
        Story(
            "After a trial nothing is heard",
            { $0.buy(.monthly, .trial) },
            .on(6.9, [.inTrial: true, .paidPeriods: 0]),
            .on(7, [.inTrial: .missing(.ended), .paidPeriods: .missing(.ended), .status: .missing(.ended)])
        ),
        Story(
            "An introductory offer is paid in three periods",
            {
                $0.buy(.monthly, .introductory)
                $0.renew(3)
            },
            .on(
                1,
                [
                    .inTrial: false, .inIntroOffer: true, .paidPeriods: 1, .price: 990, .renewalPrice: 990,
                    .offersAccepted: 0,
                ]
            ),
            .on(61, [.inIntroOffer: true, .paidPeriods: 3, .renewalPrice: 9_990]),
            .on(91, [.inIntroOffer: false, .paidPeriods: 4, .price: 9_990, .offersAccepted: 0])
        ),
        Story(
            "An introductory offer is paid up front",
            {
                $0.buy(.monthly, .upFront)
                $0.renew()
            },
            .on(89, [.inIntroOffer: true, .inTrial: false, .paidPeriods: 1, .expiresAt: .day(90)]),
            .on(91, [.inIntroOffer: false, .paidPeriods: 2, .expiresAt: .day(120)])
        ),
        Story(
            "Two years of an annual plan",
            {
                $0.buy(.annual)
                $0.renew()
            },
            .on(364, [.paidPeriods: 1, .currentProductId: "annual", .price: 99_990]),
            .on(366, [.paidPeriods: 2, .expiresAt: .day(730)])
        ),
        Story(
            "Periods of five minutes, as in the sandbox",
            {
                $0.buy(Plan(minutes: 5))
                $0.renew(3)
            },
            .on(0.011, [.paidPeriods: 4, .historyComplete: true, .status: "active"]),
            .on(0.02, [.paidPeriods: .missing(.ended), .status: .missing(.ended)])
        ),
        Story(
            "An introductory offer whose kind the transaction does not tell",
            {
                $0.alteringTransaction = { $0.offerDiscountType = nil }
                $0.buy(.monthly, .trial)
                $0.renew()
            },
            .on(1, [.inTrial: .missing(.noValue), .inIntroOffer: true, .price: 0]),
            .on(8, [.inTrial: false, .inIntroOffer: false])
        ),
        Story(
            "A paid introductory offer whose kind the transaction does not tell",
            {
                $0.alteringTransaction = { $0.offerDiscountType = nil }
                $0.buy(.monthly, .introductory)
            },
            .on(1, [.inTrial: false, .inIntroOffer: true, .price: 990])
        ),
    ]
}
