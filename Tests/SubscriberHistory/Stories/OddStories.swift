import NotificationStore
import SubscriberHistory

extension Story {
    /// Payloads with members that are absent, unknown, or do not fit.
    static let odd: [Story] = [
        Story(
            "Payloads without optional members",
            {
                $0.alteringTransaction = {
                    ($0.price, $0.currency, $0.storefront, $0.ownership) = (nil, nil, nil, nil)
                    ($0.quantity, $0.reason, $0.appAccountToken) = (nil, nil, nil)
                    ($0.subscriptionGroupID, $0.productID) = (nil, nil)
                }
                $0.alteringRenewal = {
                    ($0.renewalProductID, $0.renewsAt, $0.renewalPrice) = (nil, nil, nil)
                    ($0.autoRenewStatus, $0.subscribedAt) = (nil, nil)
                }
                $0.buy()
            },
            .on(
                1,
                [
                    .currentProductId: .missing(.noValue), .subscriptionGroup: .missing(.noValue),
                    .price: .missing(.noValue), .currency: .missing(.noValue),
                    .storefront: .missing(.noValue), .familyShared: .missing(.noValue),
                    .seats: .missing(.noValue), .appAccountToken: .missing(.noValue),
                    .renewalProductId: .missing(.noValue), .renewsAt: .missing(.noValue),
                    .renewalPrice: .missing(.noValue), .autoRenew: .missing(.noValue),
                    .autoRenewOffAt: .missing(.noValue), .subscribedAt: .missing(.noValue),
                    .paidPeriods: .missing(.noPrice), .status: "active", .offersAccepted: 0,
                    .historyComplete: true,
                ]
            )
        ),
        Story(
            "A period without the time of the first purchase",
            {
                $0.alteringTransaction = { $0.originallyPurchasedAt = nil }
                $0.buy()
            },
            .on(
                1,
                [
                    .firstPurchaseAt: .missing(.noValue), .historyComplete: false,
                    .paidPeriods: .missing(.historyIncomplete), .cancellations: .missing(.eventsIncomplete),
                ]
            )
        ),
        Story(
            "Types, subtypes and values that Apple added later",
            {
                $0.buy()
                $0.to(5)
                $0.notify("SOMETHING_NEW", "OF_ANOTHER_KIND")
                $0.to(6)
                $0.notify("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_PAUSED")
                $0.alteringRenewal = { $0.autoRenewStatus = 2 }
                $0.to(7)
                $0.notify("PRICE_CHANGE")
            },
            .on(6.5, [.status: "active", .autoRenew: true, .cancellations: 0, .paidPeriods: 1]),
            .on(8, [.autoRenew: .missing(.unknownValue), .autoRenewOffAt: .missing(.unknownValue)])
        ),
        Story(
            "A state that Apple added later",
            {
                $0.buy()
                $0.to(5)
                $0.status = 6
                $0.notify("SOMETHING_NEW")
            },
            .on(4, [.status: "active"]),
            .on(6, [.status: .missing(.unknownValue), .paidPeriods: 1, .currentProductId: "monthly"])
        ),
        Story(
            "A state that does not fit its column",
            {
                $0.buy()
                $0.to(5)
                $0.unfit = ["status"]
                $0.notify("SOMETHING_NEW")
            },
            .on(6, [.status: .missing(.unfitValue)])
        ),
        Story(
            "A price that does not fit its column",
            {
                $0.unfit = ["price"]
                $0.alteringTransaction = { $0.price = nil }
                $0.buy()
            },
            .on(1, [.price: .missing(.unfitValue), .paidPeriods: .missing(.unfitValue)])
        ),
        Story(
            "An offer that does not fit its column",
            {
                $0.unfit = ["offer_type"]
                $0.alteringTransaction = { $0.offerType = nil }
                $0.buy(.monthly, .trial)
            },
            .on(
                1,
                [
                    .inTrial: .missing(.unfitValue), .inIntroOffer: .missing(.unfitValue),
                    .inRetentionOffer: .missing(.unfitValue), .offersAccepted: .missing(.unfitValue),
                    .lastOfferAt: .missing(.unfitValue),
                ]
            )
        ),
        Story(
            "The date of a refund does not fit its column",
            {
                $0.buy()
                $0.to(5)
                $0.unfit = ["revoked_at"]
                $0.alteringTransaction = { $0.revokedAt = nil }
                $0.refund()
            },
            .on(6, [.refunds: .missing(.unfitValue), .paidPeriods: .missing(.unfitValue)])
        ),
        Story(
            "The dates of a period do not fit their columns",
            {
                $0.buy()
                $0.unfit = ["expires_at"]
                $0.alteringTransaction = { $0.expiresAt = nil }
                $0.renew()
            },
            .on(1, [.paidPeriods: 1]),
            .on(
                31,
                [
                    .historyComplete: false, .paidPeriods: .missing(.historyIncomplete),
                    .lastOfferAt: .missing(.historyIncomplete), .status: .missing(.ended),
                    .currentProductId: .missing(.historyIncomplete),
                ]
            )
        ),
        Story(
            "Dates from the ends of time",
            {
                $0.buy()
                $0.now += 1
                var odd = $0.transactions[0]
                (odd.transactionID, odd.purchasedAt, odd.expiresAt) = ("odd", .min, .max)
                odd.webOrderLineItemID = "w odd"
                $0.sign(odd)
                (odd.transactionID, odd.purchasedAt, odd.expiresAt) = ("later", .max, .max)
                odd.webOrderLineItemID = "w later"
                $0.sign(odd)
                (odd.transactionID, odd.purchasedAt, odd.expiresAt) = ("early", 0, 0)
                odd.webOrderLineItemID = "w early"
                odd.originallyPurchasedAt = .min
                $0.sign(odd)
            },
            .on(1, [.historyComplete: false, .currentProductId: "monthly", .firstPurchaseAt: .day(0)])
        ),
        Story(
            "A purchase that is no subscription",
            {
                $0.buy()
                $0.to(5)
                var other = $0.transactions[0]
                (other.transactionID, other.type, other.expiresAt) = ("coins", "Consumable", nil)
                other.productID = "coins"
                $0.sign(other)
            },
            .on(6, [.currentProductId: "monthly", .paidPeriods: 1, .historyComplete: true])
        ),
        Story(
            "A cancellation and a return whose notifications were lost, as counts assume never to happen",
            {
                $0.buy()
                $0.to(10)
                $0.losing {
                    $0.cancel()
                    $0.to(12)
                    $0.resume()
                }
                $0.renew()
            },
            .on(31, [.cancellations: 0, .lastCancelAt: .missing(.neverHappened), .autoRenew: true])
        ),
        Story(
            "A cancellation whose notification was lost, and whose renewal info came later",
            {
                $0.buy()
                $0.to(10)
                $0.losing { $0.cancel() }
                $0.to(20)
                $0.notify("PRICE_INCREASE", "PENDING")
            },
            .on(19, [.cancellations: 0, .autoRenew: true]),
            .on(
                21,
                [
                    .cancellations: .missing(.eventsIncomplete), .autoRenew: false,
                    .autoRenewOffAt: .missing(.eventsIncomplete),
                ]
            )
        ),
        Story(
            "Every notification was recovered, and a renewal is unknown nevertheless",
            {
                $0.buy()
                $0.losing { $0.renew() }
                $0.renew()
                $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(100))]
            },
            .on(61, [.historyComplete: false, .paidPeriods: .missing(.historyIncomplete)])
        ),
        Story(
            "Every notification was recovered, and the first purchase is unknown nevertheless",
            {
                $0.losing { $0.buy() }
                $0.renew()
                $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(100))]
            },
            .on(31, [.historyComplete: false, .paidPeriods: .missing(.historyIncomplete)])
        ),
        Story(
            "Every notification was recovered, and an upgrade is unknown nevertheless",
            {
                $0.buy()
                $0.to(10)
                $0.losing { $0.upgrade(.premium) }
                $0.sign($0.transactions[0])
                $0.renew()
                $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(100))]
            },
            .on(11, [.historyComplete: false]),
            .on(41, [.historyComplete: false, .returns: .missing(.historyIncomplete)])
        ),
        Story(
            "Every notification was recovered, and Apple collected a price very late",
            {
                $0.buy()
                $0.failToRenew()
                $0.to(70)
                $0.recover()
                $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(100))]
            },
            .on(71, [.historyComplete: true, .paidPeriods: 2, .returns: 0])
        ),
    ]
}
