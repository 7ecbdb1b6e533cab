import SubscriberHistory

extension Story {
    /// Cancellations, ends, returns, and prices that Apple collects late.
    static let ends: [Story] = [
        Story(
            "The customer cancels, and the subscription ends",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
            },
            .on(
                21,
                [
                    .status: "active", .autoRenew: false, .autoRenewOffAt: .day(20), .cancellations: 1,
                    .lastCancelAt: .day(20),
                ]
            ),
            .on(
                500,
                [
                    .status: "expired", .paidPeriods: 1, .cancellations: 1, .currentProductId: "monthly",
                    .expiresAt: .day(30), .historyComplete: true, .inRetentionOffer: false,
                ]
            )
        ),
        Story(
            "The customer cancels, and resumes",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.to(25)
                $0.resume()
                $0.renew()
            },
            .on(24, [.autoRenewOffAt: .day(20)]),
            .on(
                26,
                [
                    .autoRenew: true, .autoRenewOffAt: .missing(.neverHappened), .cancellations: 1,
                    .lastCancelAt: .day(20),
                ]
            ),
            .on(31, [.cancellations: 1, .paidPeriods: 2])
        ),
        Story(
            "The customer cancels twice",
            {
                $0.buy()
                $0.to(5)
                $0.cancel()
                $0.to(6)
                $0.resume()
                $0.to(20)
                $0.cancel()
            },
            .on(21, [.cancellations: 2, .lastCancelAt: .day(20), .autoRenewOffAt: .day(20)])
        ),
        Story(
            "A notice of a cancellation comes twice",
            {
                $0.buy()
                $0.to(5)
                $0.cancel()
                $0.to(5.1)
                $0.cancel()
            },
            .on(6, [.cancellations: 1, .autoRenewOffAt: .day(5)])
        ),
        Story(
            "A return after a lapse, without Apple's history",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(80)
                $0.buy()
            },
            .on(31, [.paidPeriods: 1]),
            .on(
                81,
                [
                    .status: "active", .autoRenew: true, .firstPurchaseAt: .day(0), .subscribedAt: .day(0),
                    .paidPeriods: .missing(.historyIncomplete), .historyComplete: false,
                    .cancellations: .missing(.eventsIncomplete), .refunds: .missing(.historyIncomplete),
                ]
            )
        ),
        Story(
            "A return after a lapse, with Apple's history",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(100)
                $0.buy()
                $0.to(101)
                $0.sync()
            },
            .on(100.5, [.paidPeriods: .missing(.historyIncomplete), .subscribedAt: .day(100)]),
            .on(
                102,
                [
                    .paidPeriods: 2, .historyComplete: true, .cancellations: 1, .lastCancelAt: .day(20),
                    .firstPurchaseAt: .day(0), .autoRenewOffAt: .missing(.neverHappened), .refunds: 0,
                ]
            )
        ),
        Story(
            "A price that Apple never collects",
            {
                $0.buy()
                $0.failToRenew()
                $0.to(90)
                $0.expire("BILLING_RETRY")
            },
            .on(
                31,
                [
                    .status: "billingRetry", .autoRenew: true, .paidPeriods: 1, .inTrial: false,
                    .cancellations: 0,
                ]
            ),
            .on(91, [.status: "expired", .paidPeriods: 1, .cancellations: 0, .autoRenew: false])
        ),
        Story(
            "A price that Apple collects late",
            {
                $0.buy()
                $0.failToRenew()
                $0.to(40)
                $0.recover()
            },
            .on(39, [.status: "billingRetry", .expiresAt: .day(30)]),
            .on(
                41,
                [
                    .status: "active", .paidPeriods: 2, .expiresAt: .day(70), .historyComplete: true,
                    .cancellations: 0,
                ]
            )
        ),
        Story(
            "A price that Apple collects in the grace period",
            {
                $0.buy()
                $0.failToRenew(graceDays: 16)
                $0.to(35)
                $0.recover()
            },
            .on(34, [.status: "gracePeriod", .paidPeriods: 1]),
            .on(36, [.status: "active", .paidPeriods: 2, .expiresAt: .day(60)])
        ),
        Story(
            "A price that Apple collects after the grace period",
            {
                $0.buy()
                $0.failToRenew(graceDays: 16)
                $0.endGrace()
                $0.to(50)
                $0.recover()
            },
            .on(45, [.status: "gracePeriod"]),
            .on(47, [.status: "billingRetry"]),
            .on(51, [.status: "active", .paidPeriods: 2, .expiresAt: .day(80), .historyComplete: true])
        ),
        Story(
            "A grace period after which nothing is heard",
            {
                $0.buy()
                $0.failToRenew(graceDays: 16)
            },
            .on(45, [.status: "gracePeriod", .paidPeriods: 1]),
            .on(46, [.status: .missing(.ended), .paidPeriods: .missing(.ended)])
        ),
        Story(
            "A late price of which nothing is heard",
            {
                $0.buy()
                $0.failToRenew()
            },
            .on(89, [.status: "billingRetry", .paidPeriods: 1]),
            .on(91, [.status: .missing(.ended), .paidPeriods: .missing(.ended)])
        ),
        Story(
            "The product is not for sale any more",
            {
                $0.buy()
                $0.expire("PRODUCT_NOT_FOR_SALE")
            },
            .on(31, [.status: "expired", .cancellations: 0, .autoRenew: false, .paidPeriods: 1])
        ),
        Story(
            "A renewal that Apple charges a day ahead",
            {
                $0.buy(.premium)
                $0.to(5)
                $0.downgrade(.basic)
                $0.renew(ahead: 24)
            },
            .on(28, [.paidPeriods: 1, .expiresAt: .day(30)]),
            .on(
                29.5,
                [
                    .currentProductId: "premium", .expiresAt: .day(30), .price: 19_990, .status: "active",
                    .renewsAt: .day(60), .historyComplete: true, .paidPeriods: 2,
                ]
            ),
            .on(30, [.currentProductId: "basic", .expiresAt: .day(60), .price: 4_990, .status: "active"])
        ),
        Story(
            "The customer cancels after a charge that came a day ahead",
            {
                $0.buy()
                $0.renew(ahead: 24)
                $0.to(29.5)
                $0.cancel()
            },
            .on(29.6, [.autoRenew: false, .autoRenewOffAt: .day(29.5)]),
            .on(31, [.autoRenew: false, .autoRenewOffAt: .day(29.5), .cancellations: 1, .paidPeriods: 2])
        ),
        Story(
            "A cancellation whose notification got lost",
            {
                $0.buy()
                $0.to(10)
                $0.losing { $0.cancel() }
                $0.to(15)
                $0.raisePrice(12_990, isAccepted: false)
                $0.to(20)
                $0.resume()
            },
            .on(
                16,
                [
                    .autoRenew: false, .autoRenewOffAt: .missing(.eventsIncomplete),
                    .cancellations: .missing(.eventsIncomplete),
                    .lastCancelAt: .missing(.eventsIncomplete),
                ]
            ),
            .on(21, [.autoRenew: true, .cancellations: .missing(.eventsIncomplete)])
        ),
        Story(
            "A cancellation whose renewal info got lost",
            {
                $0.buy()
                $0.to(10)
                $0.hasRenewal = false
                $0.cancel()
            },
            .on(11, [.autoRenew: false, .autoRenewOffAt: .day(10), .cancellations: 1])
        ),
    ]
}
