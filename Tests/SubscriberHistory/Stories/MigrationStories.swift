import NotificationStore
import SubscriberHistory

extension Story {
    /// Moves to the Advanced Commerce API, which gives a subscription another identifier.
    static let migrations: [Story] = [
        Story(
            "A subscription that moved to Advanced Commerce, without its old identifier",
            {
                $0.losing {
                    $0.buy()
                    $0.renew()
                }
                $0.migrate(to: "2000")
                $0.to(65)
                $0.sync()
                $0.payloads.transactions.removeAll { $0.columns.originalTransactionID == "1000" }
            },
            .on(
                66,
                [
                    .historyComplete: false, .paidPeriods: .missing(.historyIncomplete),
                    .firstPurchaseAt: .missing(.historyIncomplete),
                    .offersAccepted: .missing(.historyIncomplete),
                    .cancellations: .missing(.eventsIncomplete),
                    .currentProductId: "monthly", .status: "active",
                ]
            )
        ),
        Story(
            "A subscription that moved to Advanced Commerce, with its old identifier",
            {
                $0.buy()
                $0.renew()
                $0.migrate(to: "2000")
                $0.renew()
            },
            .on(61, [.historyComplete: true, .paidPeriods: 3, .firstPurchaseAt: .day(0), .cancellations: 0]),
            .on(91, [.paidPeriods: 4, .firstPurchaseAt: .day(0)])
        ),
        Story(
            "A subscription that moved to Advanced Commerce, with half of what came before and the history since",
            {
                $0.losing {
                    $0.buy()
                    $0.renew(2)
                }
                $0.renew()
                $0.migrate(to: "2000")
                $0.to(130)
                $0.syncAlone()
                $0.renew()
                $0.to(155)
                $0.sync()
            },
            .on(
                131,
                [
                    .historyComplete: false, .paidPeriods: .missing(.historyIncomplete),
                    .offersAccepted: .missing(.historyIncomplete), .refunds: .missing(.historyIncomplete),
                    .currentProductId: "monthly", .status: "active", .firstPurchaseAt: .day(0),
                ]
            ),
            .on(
                156,
                [
                    .historyComplete: true, .paidPeriods: 6, .offersAccepted: 0, .refunds: 0, .returns: 0,
                    .firstPurchaseAt: .day(0), .cancellations: .missing(.eventsIncomplete),
                ]
            )
        ),
        Story(
            "A subscription that moved to Advanced Commerce, whose last period before that is unknown",
            {
                $0.buy()
                $0.losing { $0.renew() }
                $0.migrate(to: "2000")
                $0.to(65)
                $0.syncAlone()
            },
            .on(66, [.historyComplete: false, .paidPeriods: .missing(.historyIncomplete)])
        ),
        Story(
            "A subscription of Advanced Commerce",
            {
                $0.alteringTransaction = { $0.sku = "sku.gold" }
                $0.buy(Plan(product: "generic"))
            },
            .on(1, [.advancedCommerceSku: "sku.gold", .currentProductId: "generic"])
        ),
    ]
}
