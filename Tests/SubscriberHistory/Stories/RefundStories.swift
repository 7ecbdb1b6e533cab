import SubscriberHistory

extension Story {
    /// Refunds in full and in part, and those taken back.
    static let refunds: [Story] = [
        Story(
            "A refund of the running period",
            {
                $0.buy()
                $0.renew()
                $0.to(40)
                $0.refund()
            },
            .on(39, [.refunds: 0, .paidPeriods: 2]),
            .on(
                41,
                [
                    .refunds: 1, .lastRefundAt: .day(40), .paidPeriods: 1, .status: "revoked",
                    .inRetentionOffer: false,
                ]
            ),
            .on(400, [.status: "revoked", .refunds: 1])
        ),
        Story(
            "A refund without a type",
            {
                $0.buy()
                $0.to(10)
                $0.refund(nil)
            },
            .on(11, [.refunds: 1, .paidPeriods: 0])
        ),
        Story(
            "A refund in part",
            {
                $0.buy()
                $0.to(10)
                $0.refund("REFUND_PRORATED", percentage: 40_000)
            },
            .on(9, [.refunds: 0, .paidPeriods: 1, .status: "active"]),
            .on(11, [.refunds: 1, .lastRefundAt: .day(10), .paidPeriods: 1, .status: "revoked"]),
            .on(
                35,
                [
                    .refunds: 1, .lastRefundAt: .day(10), .paidPeriods: 1, .status: "revoked", .returns: 0,
                    .expiresAt: .day(30), .inOffer: false, .cancellations: 0, .historyComplete: true,
                ]
            )
        ),
        Story(
            "A refund in part of an earlier period",
            {
                $0.buy()
                $0.renew()
                $0.to(40)
                $0.refund("REFUND_PRORATED", percentage: 40_000, about: 0)
                $0.renew()
            },
            .on(39, [.refunds: 0, .paidPeriods: 2]),
            .on(
                41, [.refunds: 1, .lastRefundAt: .day(40), .paidPeriods: 2, .status: "active", .price: 9_990]),
            .on(61, [.refunds: 1, .lastRefundAt: .day(40), .paidPeriods: 3, .returns: 0, .autoRenew: true])
        ),
        Story(
            "A refund in part without a percentage",
            {
                $0.buy()
                $0.to(10)
                $0.refund("REFUND_PRORATED")
            },
            .on(11, [.refunds: 1, .paidPeriods: 1]),
            .on(40, [.refunds: 1, .lastRefundAt: .day(10), .paidPeriods: 1, .status: "revoked"])
        ),
        Story(
            "A refund in part without a type",
            {
                $0.buy()
                $0.to(10)
                $0.refund(nil, percentage: 40_000)
            },
            .on(11, [.refunds: 1, .paidPeriods: 1])
        ),
        Story(
            "A refund in part of the whole price",
            {
                $0.buy()
                $0.to(10)
                $0.refund("REFUND_PRORATED", percentage: 100_000)
            },
            .on(11, [.refunds: 1, .paidPeriods: 0])
        ),
        Story(
            "A refund of a type that Apple added later",
            {
                $0.buy()
                $0.to(10)
                $0.refund("REFUND_SOMEHOW")
            },
            .on(11, [.refunds: 1, .paidPeriods: .missing(.unknownValue)])
        ),
        Story(
            "A refund that Apple took back",
            {
                $0.buy()
                $0.to(10)
                $0.refund()
                $0.to(12)
                $0.reverseRefund()
            },
            .on(11, [.refunds: 1, .paidPeriods: 0, .status: "revoked"]),
            .on(
                13,
                [.refunds: 0, .lastRefundAt: .missing(.neverHappened), .paidPeriods: 1, .status: "active"])
        ),
        Story(
            "A refund that Apple took back, in a notification without its transaction",
            {
                $0.buy()
                $0.to(10)
                $0.refund()
                $0.to(12)
                $0.reverseRefund()
                // The store has lost it.
                $0.payloads.transactions.removeLast()
            },
            .on(13, [.refunds: 0, .paidPeriods: 1, .status: "active"])
        ),
        Story(
            "A refund, taken back, and made again",
            {
                $0.buy()
                $0.to(10)
                $0.refund()
                $0.to(12)
                $0.reverseRefund()
                $0.to(14)
                $0.refund()
            },
            .on(15, [.refunds: 1, .lastRefundAt: .day(14), .paidPeriods: 0])
        ),
        Story(
            "A refund in a notification without its transaction",
            {
                $0.buy()
                $0.to(10)
                $0.refund()
                $0.payloads.transactions.removeLast()
            },
            .on(
                11,
                [
                    .refunds: 1, .lastRefundAt: .day(10), .paidPeriods: .missing(.unknownValue),
                    .status: "revoked",
                ]
            )
        ),
        Story(
            "A refund that switches renewal off",
            {
                $0.buy()
                $0.to(9)
                $0.notify("CONSUMPTION_REQUEST")
                $0.to(9.1)
                $0.cancel()
                $0.to(12)
                $0.refund()
            },
            .on(
                10,
                [
                    .autoRenew: false, .autoRenewOffAt: .day(9.1), .cancellations: 0,
                    .lastCancelAt: .missing(.neverHappened), .refunds: 0,
                ]
            ),
            .on(13, [.cancellations: 0, .refunds: 1])
        ),
        Story(
            "Renewal goes off two days before a refund",
            {
                $0.buy()
                $0.to(10)
                $0.cancel()
                $0.to(12)
                $0.refund()
            },
            .on(11, [.cancellations: 1]),
            .on(13, [.cancellations: 0])
        ),
        Story(
            "The customer cancels three days after a request for a refund",
            {
                $0.buy()
                $0.to(9)
                $0.notify("CONSUMPTION_REQUEST")
                $0.to(10)
                $0.notify("REFUND_DECLINED")
                $0.to(12)
                $0.cancel()
            },
            .on(13, [.cancellations: 1, .lastCancelAt: .day(12), .refunds: 0])
        ),
        Story(
            "A refund of an earlier period",
            {
                $0.buy()
                $0.renew(2)
                $0.to(70)
                $0.refund(about: 0)
            },
            .on(
                71,
                [.refunds: 1, .lastRefundAt: .day(70), .paidPeriods: 2, .status: "active", .autoRenew: true])
        ),
        Story(
            "A refund of an upgrade that the customer upgraded again",
            {
                $0.buy(.basic)
                $0.to(5)
                $0.upgrade(.monthly)
                $0.to(10)
                $0.upgrade(.premium)
                $0.to(12)
                $0.refund(about: 1)
            },
            .on(13, [.refunds: 1, .paidPeriods: 1, .status: "active"])
        ),
        Story(
            "Two refunds",
            {
                $0.buy()
                $0.renew(2)
                $0.to(65)
                $0.refund(about: 1)
                $0.to(66)
                $0.refund(about: 0)
            },
            .on(67, [.refunds: 2, .lastRefundAt: .day(66), .paidPeriods: 1])
        ),
        Story(
            "A refund in part, and the customer buys again at once",
            {
                $0.buy()
                $0.to(10)
                $0.refund("REFUND_PRORATED", percentage: 60_000)
                $0.to(11)
                $0.buy()
            },
            .on(12, [.paidPeriods: 2, .refunds: 1, .status: "active", .expiresAt: .day(41)])
        ),
    ]
}
