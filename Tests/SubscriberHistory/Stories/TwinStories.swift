import NotificationStore
import SubscriberHistory

extension Story {
    /// Gives the running purchase again with another identifier, changed by a function.
    private static func give(
        _ life: inout Life,
        _ change: (inout TransactionColumns) -> Void = { _ in }
    ) {
        var columns = life.transactions[life.place]
        columns.transactionID = (columns.transactionID ?? "") + "-again"
        change(&columns)
        life.sign(columns)
    }

    /// Purchases that have two transactions.
    static let twins: [Story] = [
        Story(
            "A purchase is given again with the same webOrderLineItemId, and the other one is refunded",
            {
                $0.buy()
                $0.renew()
                $0.to(35)
                give(&$0)
                $0.to(40)
                $0.refund()
            },
            .on(36, [.paidPeriods: 2, .paidMonths: 2, .historyComplete: true, .status: "active"]),
            .on(41, [.paidPeriods: 1, .refunds: 1, .lastRefundAt: .day(40), .status: "revoked"])
        ),
        Story(
            "The refund names the identifier with which the purchase was given again",
            {
                $0.buy()
                $0.renew()
                $0.to(40)
                $0.transactions[$0.place].transactionID = "1000-2-again"
                $0.refund()
                $0.transactions[$0.place].transactionID = "1000-2"
                $0.transactions[$0.place].revokedAt = nil
                $0.to(42)
                $0.notify("PRICE_INCREASE", "PENDING")
                $0.to(44)
                $0.notify("REFUND_REVERSED")
            },
            .on(41, [.paidPeriods: 1, .refunds: 1]),
            .on(43, [.paidPeriods: 1, .refunds: 1, .lastRefundAt: .day(40)]),
            .on(45, [.paidPeriods: 2, .refunds: 0])
        ),
        Story(
            "A purchase is given again without webOrderLineItemId, with the same time and product",
            {
                $0.buy()
                $0.to(5)
                give(&$0) { $0.webOrderLineItemID = nil }
                $0.renew()
            },
            .on(6, [.paidPeriods: 1, .historyComplete: true]),
            .on(31, [.paidPeriods: 2, .paidMonths: 2, .historyComplete: true])
        ),
        Story(
            "No copy has a webOrderLineItemId",
            {
                $0.alteringTransaction = { $0.webOrderLineItemID = nil }
                $0.buy(.monthly, .promotional())
                $0.to(5)
                give(&$0)
                $0.renew()
            },
            .on(6, [.paidPeriods: 1, .offersAccepted: 1, .inOffer: true]),
            .on(31, [.paidPeriods: 2, .offersAccepted: 1])
        ),
        Story(
            "The copy of the second identifier has little, and the later one of the first has less",
            {
                $0.buy()
                $0.to(5)
                give(&$0) {
                    ($0.price, $0.currency, $0.purchasedAt, $0.expiresAt) = (nil, nil, nil, nil)
                    ($0.ownership, $0.productID, $0.type) = (nil, nil, nil)
                }
                $0.alteringTransaction = { ($0.storefront, $0.productID) = (nil, nil) }
                $0.to(8)
                $0.cancel()
            },
            .on(
                9,
                [
                    .paidPeriods: 1, .price: 9_990, .currency: "USD", .currentProductId: "monthly",
                    .storefront: "USA", .historyComplete: true, .cancellations: 1,
                ]
            )
        ),
        Story(
            "A period that was given again is upgraded",
            {
                $0.buy()
                $0.to(5)
                give(&$0)
                $0.to(10)
                $0.upgrade(.premium)
                $0.renew()
            },
            .on(11, [.paidPeriods: 1, .paidMonths: 1, .currentProductId: "premium", .historyComplete: true]),
            .on(41, [.paidPeriods: 2, .paidMonths: 2])
        ),
        Story(
            "A family's purchase at the same time is another one",
            {
                $0.buy()
                give(&$0) { ($0.ownership, $0.price, $0.currency) = ("FAMILY_SHARED", nil, nil) }
            },
            .on(1, [.paidPeriods: 1, .familyShared: false, .status: "active"])
        ),
        Story(
            "Every purchase has the same webOrderLineItemId, also that of another product",
            {
                $0.alteringTransaction = { $0.webOrderLineItemID = "0" }
                $0.buy()
                $0.to(10)
                $0.upgrade(.premium)
                $0.notify("PRICE_INCREASE", "PENDING", about: 0)
                $0.renew(2)
            },
            .on(11, [.paidPeriods: 1, .currentProductId: "premium", .expiresAt: .day(40)]),
            .on(71, [.paidPeriods: 3, .paidMonths: 3, .historyComplete: true])
        ),
        Story(
            "The grace period names the second identifier, and the customer upgrades in it",
            {
                $0.buy()
                $0.to(5)
                give(&$0)
                $0.transactions[$0.place].transactionID = "1000-1-again"
                $0.failToRenew(graceDays: 16)
                $0.transactions[$0.place].transactionID = "1000-1"
                $0.to(36)
                $0.upgrade(.premium)
                $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(100))]
            },
            .on(37, [.returns: 0, .paidPeriods: 2, .historyComplete: true])
        ),
        Story(
            "The end names the second identifier",
            {
                $0.buy()
                $0.to(5)
                give(&$0)
                $0.alteringRenewal = { $0.renewsAt = nil }
                $0.to(10)
                $0.cancel()
                $0.transactions[$0.place].transactionID = "1000-1-again"
                $0.expire()
            },
            .on(31, [.status: "expired", .paidPeriods: 1, .historyComplete: true])
        ),
    ]

    /// Later copies that lack what earlier ones said, tokens that name nobody, and other products.
    static let copies: [Story] = [
        Story(
            "A later copy lacks nearly everything",
            {
                $0.buy(.monthly, .promotional())
                $0.alteringTransaction = {
                    ($0.price, $0.currency, $0.storefront, $0.purchasedAt) = (nil, nil, nil, nil)
                    ($0.originallyPurchasedAt, $0.productID, $0.subscriptionGroupID) = (nil, nil, nil)
                    ($0.offerType, $0.offerIdentifier, $0.offerDiscountType) = (nil, nil, nil)
                    ($0.appAccountToken, $0.webOrderLineItemID) = (nil, nil)
                    ($0.ownership, $0.type, $0.quantity, $0.reason) = (nil, nil, nil, nil)
                }
                $0.to(5)
                $0.cancel()
            },
            .on(
                6,
                [
                    .price: 990, .currency: "USD", .storefront: "USA", .firstPurchaseAt: .day(0),
                    .currentProductId: "monthly", .subscriptionGroup: "group", .inRetentionOffer: true,
                    .offersAccepted: 1, .lastOfferIdentifier: "half", .familyShared: false, .seats: 1,
                    .appAccountToken: "7e3fb20b-4cdb-47cc-936d-99d65f608138", .paidPeriods: 1,
                    .historyComplete: true, .cancellations: 1,
                ]
            )
        ),
        Story(
            "An earlier copy lacks what the later one has, and a refund that is taken back is not kept",
            {
                $0.alteringTransaction = { ($0.price, $0.currency) = (nil, nil) }
                $0.buy()
                $0.alteringTransaction = { _ in }
                $0.to(5)
                $0.refund()
                $0.to(8)
                $0.reverseRefund()
            },
            .on(1, [.price: .missing(.noValue), .paidPeriods: .missing(.noPrice)]),
            .on(6, [.price: 9_990, .paidPeriods: 0, .refunds: 1]),
            .on(9, [.price: 9_990, .paidPeriods: 1, .refunds: 0, .status: "active"])
        ),
        Story(
            "A value that did not fit, and then none",
            {
                $0.unfit = ["price"]
                $0.alteringTransaction = { $0.price = nil }
                $0.buy()
                $0.unfit = []
                $0.to(5)
                $0.cancel()
            },
            .on(6, [.price: .missing(.unfitValue), .paidPeriods: .missing(.unfitValue)])
        ),
        Story(
            "Zeros in place of a token",
            {
                $0.alteringTransaction = { $0.appAccountToken = "00000000-0000-0000-0000-000000000000" }
                $0.buy()
                $0.alteringTransaction = { _ in }
                $0.to(5)
                $0.cancel()
                $0.alteringTransaction = { $0.appAccountToken = "00000000-0000-0000-0000-000000000000" }
                $0.to(8)
                $0.resume()
            },
            .on(1, [.appAccountToken: .missing(.noValue), .status: "active"]),
            .on(9, [.appAccountToken: "7e3fb20b-4cdb-47cc-936d-99d65f608138"])
        ),
        bundle("A bundle of subscriptions beside a subscription", type: "subscriptionBundle"),
        bundle("A purchase without a type beside a subscription", type: nil),
        Story(
            "Nothing but a bundle of subscriptions",
            {
                $0.alteringTransaction = { $0.type = "Subscription Bundle" }
                $0.buy()
                $0.to(5)
                $0.status = 2
                $0.notify("EXPIRED", "VOLUNTARY")
            },
            .on(
                6,
                [
                    .status: .missing(.noStatus), .paidPeriods: .missing(.noTransaction),
                    .autoRenew: .missing(.noRenewalInfo), .historyComplete: false,
                ]
            )
        ),
        Story(
            "A year, and then months",
            {
                $0.buy(.annual)
                $0.downgrade(.monthly)
                $0.renew(2)
            },
            .on(1, [.paidPeriods: 1, .paidMonths: 12]),
            .on(396, [.paidPeriods: 3, .paidMonths: 14])
        ),
        Story(
            "Apple gives 90 days for free",
            {
                $0.buy()
                $0.to(10)
                $0.extend(days: 90)
                $0.renew()
            },
            .on(11, [.paidPeriods: 1, .paidMonths: 1, .expiresAt: .day(120)]),
            .on(121, [.paidPeriods: 2, .paidMonths: 2])
        ),
        Story(
            "Weeks",
            {
                $0.buy(.weekly)
                $0.renew(8)
            },
            .on(1, [.paidPeriods: 1, .paidMonths: 0]),
            .on(57, [.paidPeriods: 9, .paidMonths: 2])
        ),
    ]

    /// A purchase of another product under the identifier of a subscription.
    private static func bundle(_ name: String, type: String?) -> Story {
        Story(
            name,
            {
                $0.buy()
                let own = $0.transactions
                $0.to(5)
                $0.pay("PURCHASE", from: $0.now)
                $0.transactions[$0.place].type = type
                $0.transactions[$0.place].productID = "bundle"
                $0.transactions[$0.place].transactionID = "bundle"
                $0.status = 2
                $0.renewal.autoRenewStatus = 0
                $0.notify("EXPIRED", "VOLUNTARY")
                $0.to(6)
                $0.transactions[$0.place].revokedAt = $0.now
                $0.notify("REFUND")
                _ = $0.signRenewal()
                $0.transactions = own
                $0.renewal.autoRenewStatus = 1
                $0.status = 1
                $0.renew()
            },
            .on(
                7,
                [
                    .status: "active", .paidPeriods: 1, .refunds: 0, .autoRenew: true, .cancellations: 0,
                    .currentProductId: "monthly", .expiresAt: .day(30), .historyComplete: true,
                ]
            ),
            .on(31, [.status: "active", .paidPeriods: 2, .paidMonths: 2, .historyComplete: true])
        )
    }
}
