import NotificationStore
import SubscriberHistory

extension Story {
    /// Notifications with a part that failed its own check. The store has them without that part, and without its identifiers.
    static let failedParts: [Story] = [
        Story(
            "A refund whose transaction fails its check, so that nothing names it, until Apple gives the history",
            {
                $0.buy(.monthly, .promotional())
                $0.to(10)
                $0.hasTransaction = false
                $0.refund()
                $0.to(12)
                $0.sync()
            },
            .on(9, [.refunds: 0, .paidPeriods: 1, .inOffer: true]),
            .on(
                11,
                [
                    .refunds: .missing(.noValue), .lastRefundAt: .missing(.noValue),
                    .paidPeriods: .missing(.noValue), .returns: .missing(.noValue), .status: "revoked",
                    .inOffer: false, .offersAccepted: 1, .historyComplete: true,
                ]
            ),
            .on(13, [.refunds: 1, .lastRefundAt: .day(10), .paidPeriods: 0, .returns: 0])
        ),
        Story(
            "A reversal of a refund whose transaction fails its check",
            {
                $0.buy()
                $0.to(10)
                $0.refund()
                $0.to(12)
                $0.hasTransaction = false
                $0.reverseRefund()
            },
            .on(11, [.refunds: 1, .paidPeriods: 0]),
            .on(13, [.refunds: .missing(.noValue), .paidPeriods: .missing(.noValue), .status: "active"])
        ),
        Story(
            "A reversal of the refund of a period with an offer, whose transaction fails its check",
            {
                $0.buy(.monthly, .promotional())
                $0.to(10)
                $0.refund()
                $0.to(12)
                $0.hasTransaction = false
                $0.reverseRefund()
            },
            .on(9, [.inOffer: true, .inRetentionOffer: true, .status: "active"]),
            .on(11, [.inOffer: false, .inRetentionOffer: false, .status: "revoked"]),
            .on(13, [.inOffer: true, .inRetentionOffer: true, .inTrial: false, .status: "active"])
        ),
        Story(
            "A refund in a notification without its transaction, and the customer buys again",
            {
                $0.buy()
                $0.to(10)
                $0.refund()
                $0.payloads.transactions.removeLast()
                $0.to(12)
                $0.buy()
            },
            .on(11, [.returns: 0, .refunds: 1, .status: "revoked"]),
            .on(13, [.returns: 1, .refunds: 1, .status: "active", .paidPeriods: .missing(.unknownValue)])
        ),
        Story(
            "A refund of seats without its transaction, and an upgrade",
            {
                $0.buy(Plan(product: "team", quantity: 10))
                $0.to(10)
                $0.refundSeats()
                $0.to(12)
                $0.upgrade(Plan(product: "company", quantity: 9))
            },
            .on(13, [.returns: 0, .refunds: 1, .seats: 9, .paidPeriods: 1])
        ),
        Story(
            "A refund of seats whose transaction fails its check",
            {
                $0.buy(Plan(quantity: 5))
                $0.to(10)
                $0.hasTransaction = false
                $0.refundSeats()
                $0.to(12)
                $0.sync()
            },
            .on(9, [.refunds: 0, .seats: 5]),
            .on(13, [.refunds: .missing(.noValue), .seats: .missing(.seatsChanged), .paidPeriods: 1])
        ),
        Story(
            "A switch without subtype whose renewal info fails its check",
            {
                $0.buy()
                $0.to(10)
                $0.hasRenewal = false
                $0.cancel(hasSubtype: false)
                $0.hasRenewal = true
                $0.to(20)
                $0.raisePrice(12_990, isAccepted: false)
            },
            .on(9, [.autoRenew: true, .cancellations: 0]),
            .on(
                11,
                [
                    .autoRenew: .missing(.noValue), .autoRenewOffAt: .missing(.noValue),
                    .cancellations: .missing(.eventsIncomplete),
                ]
            ),
            .on(
                21,
                [
                    .autoRenew: false, .autoRenewOffAt: .missing(.eventsIncomplete),
                    .cancellations: .missing(.eventsIncomplete),
                ]
            )
        ),
        Story(
            "Every notification was recovered, and the transaction of a return fails its check",
            {
                $0.buy()
                $0.to(5)
                $0.cancel()
                $0.expire()
                $0.to(60)
                $0.hasTransaction = false
                $0.buy()
                $0.to(70)
                $0.cancel()
                $0.expire()
                $0.hasTransaction = true
                $0.to(130)
                $0.buy()
                $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(200))]
                $0.to(140)
                $0.sync()
            },
            .on(
                61,
                [
                    .currentProductId: .missing(.historyIncomplete), .price: .missing(.historyIncomplete),
                    .expiresAt: .missing(.historyIncomplete), .renewsAt: .day(90), .autoRenew: true,
                ]
            ),
            .on(91, [.status: "expired", .inTrial: false, .currentProductId: .missing(.historyIncomplete)]),
            .on(
                131,
                [
                    .historyComplete: false, .returns: .missing(.historyIncomplete),
                    .paidPeriods: .missing(.historyIncomplete),
                ]
            ),
            .on(141, [.historyComplete: true, .returns: 2, .paidPeriods: 3])
        ),
    ]
}
