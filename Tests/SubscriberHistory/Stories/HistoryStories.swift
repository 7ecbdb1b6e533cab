import NotificationStore
import SubscriberHistory

extension Story {
    /// Histories in which something is missing or comes from elsewhere.
    static let histories: [Story] = [
        Story(
            "A period in the middle is unknown",
            {
                $0.buy()
                $0.losing { $0.renew() }
                $0.renew()
            },
            .on(31, [.paidPeriods: .missing(.ended), .currentProductId: "monthly"]),
            .on(
                61,
                [
                    .paidPeriods: .missing(.historyIncomplete), .historyComplete: false, .status: "active",
                    .firstPurchaseAt: .day(0), .refunds: .missing(.historyIncomplete),
                    .cancellations: .missing(.eventsIncomplete),
                ]
            )
        ),
        Story(
            "A period in the middle is unknown, until Apple gives the history",
            {
                $0.buy()
                $0.losing { $0.renew() }
                $0.renew()
                $0.to(65)
                $0.sync()
                $0.renew()
            },
            .on(64, [.paidPeriods: .missing(.historyIncomplete)]),
            .on(
                66,
                [
                    .paidPeriods: 3, .historyComplete: true, .refunds: 0,
                    .cancellations: .missing(.eventsIncomplete),
                ]
            ),
            .on(91, [.paidPeriods: 4, .historyComplete: true, .refunds: 0])
        ),
        Story(
            "A period after Apple gave the history is unknown",
            {
                $0.buy()
                $0.to(5)
                $0.sync()
                $0.losing { $0.renew() }
                $0.renew()
            },
            .on(6, [.paidPeriods: 1]),
            .on(61, [.paidPeriods: .missing(.historyIncomplete), .historyComplete: false])
        ),
        Story(
            "A period after Apple gave the history has no notification",
            {
                $0.buy()
                $0.to(5)
                $0.sync()
                $0.renew()
                $0.payloads.notifications.removeLast()
            },
            .on(31, [.paidPeriods: 2, .refunds: .missing(.eventsIncomplete)])
        ),
        Story(
            "A price that Apple collected late, after an unknown time",
            {
                $0.buy()
                $0.losing { $0.failToRenew() }
                $0.to(40)
                $0.recover()
            },
            .on(41, [.paidPeriods: .missing(.historyIncomplete), .historyComplete: false])
        ),
        Story(
            "A price that Apple collected so late that another period may be unknown",
            {
                $0.buy()
                $0.failToRenew()
                $0.to(32)
                $0.losing {
                    $0.recover()
                    $0.failToRenew()
                }
                $0.to(70)
                $0.recover()
            },
            .on(71, [.paidPeriods: .missing(.historyIncomplete), .historyComplete: false])
        ),
        Story(
            "Only transactions",
            {
                $0.buy()
                $0.renew(2)
                $0.payloads.notifications = []
                $0.payloads.renewals = []
            },
            .on(
                61,
                [
                    .currentProductId: "monthly", .status: "active", .paidPeriods: 3, .historyComplete: true,
                    .autoRenew: .missing(.noRenewalInfo), .autoRenewOffAt: .missing(.noRenewalInfo),
                    .renewalProductId: .missing(.noRenewalInfo), .subscribedAt: .missing(.noRenewalInfo),
                    .renewsAt: .missing(.noRenewalInfo), .renewalPrice: .missing(.noRenewalInfo),
                    .cancellations: .missing(.eventsIncomplete), .refunds: .missing(.eventsIncomplete),
                    .lastRefundAt: .missing(.eventsIncomplete),
                ]
            )
        ),
        Story(
            "Only a renewal info",
            {
                $0.buy()
                $0.payloads.notifications = []
                $0.payloads.transactions = []
            },
            .on(
                1,
                [
                    .autoRenew: true, .renewalProductId: "monthly", .renewsAt: .day(30),
                    .subscribedAt: .day(0), .currentProductId: .missing(.noTransaction),
                    .paidPeriods: .missing(.noTransaction), .inTrial: .missing(.noTransaction),
                    .offersAccepted: .missing(.noTransaction), .lastOfferAt: .missing(.noTransaction),
                    .cancellations: .missing(.noTransaction), .refunds: .missing(.noTransaction),
                    .firstPurchaseAt: .missing(.noTransaction), .historyComplete: false,
                    .status: .missing(.noStatus),
                ]
            )
        ),
        Story(
            "Only notifications",
            {
                $0.buy()
                $0.to(10)
                $0.cancel()
                $0.payloads.transactions = []
                $0.payloads.renewals = []
            },
            .on(
                11,
                [
                    .status: .missing(.noTransaction), .currentProductId: .missing(.noTransaction),
                    .autoRenew: false, .autoRenewOffAt: .day(10), .paidPeriods: .missing(.noTransaction),
                ]
            )
        ),
        Story(
            "Only notifications, the last of which tells of the end",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.payloads.transactions = []
                $0.payloads.renewals = []
            },
            .on(100, [.status: "expired", .currentProductId: .missing(.noTransaction)])
        ),
        Story(
            "A renewal info from before the running period",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(100)
                $0.hasRenewal = false
                $0.buy(.premium)
            },
            .on(31, [.autoRenew: false, .renewalPrice: 9_990]),
            .on(
                101,
                [
                    .autoRenew: .missing(.noRenewalInfo), .autoRenewOffAt: .missing(.noRenewalInfo),
                    .renewalProductId: .missing(.noRenewalInfo), .renewsAt: .missing(.noRenewalInfo),
                    .renewalPrice: .missing(.noRenewalInfo), .status: "active",
                ]
            )
        ),
        Story(
            "A state from before the running period",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(50)
                $0.losing { $0.buy() }
                // Apple gives the transaction after its end.
                $0.to(100)
                $0.sign($0.transactions[1])
            },
            .on(49, [.status: "expired"]),
            .on(101, [.status: .missing(.noStatus), .paidPeriods: .missing(.historyIncomplete)])
        ),
        Story(
            "All payloads have the same time",
            {
                $0.buy()
                $0.redeem(.retention())
                $0.cancel()
                $0.resume()
            },
            .on(0, [.offersAccepted: 1, .lastOfferAt: .day(0), .paidPeriods: 1, .status: "active"]),
            .on(
                1,
                [
                    .autoRenew: true, .autoRenewOffAt: .missing(.neverHappened), .cancellations: 1,
                    .lastCancelAt: .day(0), .retentionOffersAccepted: 1, .returns: 0, .refunds: 0,
                    .inRetentionOffer: false, .historyComplete: true,
                ]
            ),
            .on(30, [.status: .missing(.ended), .cancellations: .missing(.ended), .autoRenew: true])
        ),
        Story(
            "Every notification was recovered, also of a lapse",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(80)
                $0.buy()
                $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(82))]
            },
            .on(
                81,
                [
                    .cancellations: 1, .lastCancelAt: .day(20), .historyComplete: true,
                    .paidPeriods: 2, .returns: 1, .offersAccepted: 0,
                ]
            )
        ),
        Story(
            "Every notification was recovered, but for a part of a lapse",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(80)
                $0.buy()
                $0.payloads.covered = [
                    TimeRange(from: Life.time(-1), to: Life.time(50)),
                    TimeRange(from: Life.time(51), to: Life.time(82)),
                ]
            },
            .on(81, [.historyComplete: false, .returns: .missing(.historyIncomplete)])
        ),
        Story(
            "Every notification was recovered, and one came later",
            {
                $0.buy()
                $0.renew()
                $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(40))]
                $0.payloads.notifications.removeFirst()
                $0.renew()
            },
            .on(61, [.cancellations: 0, .refunds: 0, .paidPeriods: 3])
        ),
        Story(
            "Notifications from after the first purchase were recovered",
            {
                $0.buy()
                $0.renew()
                $0.payloads.notifications = []
                $0.payloads.covered = [TimeRange(from: Life.time(1), to: Life.time(100))]
            },
            .on(31, [.cancellations: .missing(.eventsIncomplete), .paidPeriods: 2])
        ),
    ]
}
