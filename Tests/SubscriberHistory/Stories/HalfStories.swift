import NotificationStore
import SubscriberHistory

extension Story {
    /// Halves of histories: none may look like a new customer.
    static let halves: [Story] = [
        Story(
            "The first periods are unknown",
            {
                $0.losing {
                    $0.buy(.monthly, .trial)
                    $0.renew(3)
                }
                $0.renew(2)
            },
            .on(
                98,
                [
                    .firstPurchaseAt: .day(0), .paidPeriods: .missing(.historyIncomplete),
                    .offersAccepted: .missing(.historyIncomplete),
                    .promotionalOffersAccepted: .missing(.historyIncomplete),
                    .retentionOffersAccepted: .missing(.historyIncomplete),
                    .winBackOffersAccepted: .missing(.historyIncomplete),
                    .lastOfferAt: .missing(.historyIncomplete),
                    .lastOfferIdentifier: .missing(.historyIncomplete),
                    .lastOfferType: .missing(.historyIncomplete), .refunds: .missing(.historyIncomplete),
                    .lastRefundAt: .missing(.historyIncomplete),
                    .cancellations: .missing(.eventsIncomplete),
                    .lastCancelAt: .missing(.eventsIncomplete), .historyComplete: false,
                    .currentProductId: "monthly", .status: "active", .price: 9_990, .inTrial: false,
                ]
            )
        ),
        Story(
            "The first periods are unknown, until Apple gives the history",
            {
                $0.losing {
                    $0.buy()
                    $0.redeem(.retention())
                    $0.renew(3)
                    $0.refund(about: 0)
                }
                $0.renew(2)
                $0.to(160)
                $0.sync()
            },
            .on(159, [.paidPeriods: .missing(.historyIncomplete), .refunds: .missing(.historyIncomplete)]),
            .on(
                161,
                [
                    .paidPeriods: 5, .historyComplete: true, .offersAccepted: 1, .lastOfferAt: .day(30),
                    .refunds: 1, .lastRefundAt: .day(90), .cancellations: .missing(.eventsIncomplete),
                ]
            )
        ),
        Story(
            "The first known payload is the notice of a cancellation",
            {
                $0.losing {
                    $0.buy()
                    $0.renew(3)
                }
                $0.to(100)
                $0.cancel()
                $0.expire()
            },
            .on(
                101,
                [
                    .autoRenew: false, .autoRenewOffAt: .day(100), .currentProductId: "monthly",
                    .firstPurchaseAt: .day(0), .paidPeriods: .missing(.historyIncomplete),
                    .cancellations: .missing(.eventsIncomplete),
                ]
            ),
            .on(130, [.status: "expired", .paidPeriods: .missing(.historyIncomplete)])
        ),
        Story(
            "The first known payload says that renewal goes on",
            {
                $0.losing {
                    $0.buy()
                    $0.cancel()
                }
                $0.to(10)
                $0.resume()
            },
            .on(11, [.autoRenew: true, .paidPeriods: 1, .cancellations: .missing(.eventsIncomplete)])
        ),
        Story(
            "Nothing is known but a renewal that Apple charged a day ahead",
            {
                $0.losing {
                    $0.buy(.premium)
                    $0.downgrade(.basic)
                }
                $0.renew(ahead: 24)
            },
            .on(
                29.5,
                [
                    .currentProductId: .missing(.historyIncomplete), .price: .missing(.historyIncomplete),
                    .expiresAt: .missing(.historyIncomplete), .inTrial: .missing(.historyIncomplete),
                    .paidPeriods: .missing(.historyIncomplete), .renewalProductId: "basic",
                    .cancellations: .missing(.historyIncomplete), .historyComplete: false,
                ]
            ),
            .on(30, [.currentProductId: "basic", .price: 4_990, .firstPurchaseAt: .day(0)])
        ),
        Story(
            "The first known payload is a refund of the first period, long after it",
            {
                $0.losing {
                    $0.buy()
                    $0.renew(3)
                    $0.cancel()
                    $0.expire()
                }
                $0.to(200)
                $0.refund(about: 0)
            },
            .on(
                201,
                [
                    .status: "expired", .historyComplete: false,
                    .paidPeriods: .missing(.historyIncomplete), .refunds: .missing(.historyIncomplete),
                    .offersAccepted: .missing(.historyIncomplete), .inTrial: false, .renewsAt: .day(120),
                    .currentProductId: .missing(.historyIncomplete),
                    .expiresAt: .missing(.historyIncomplete),
                ]
            )
        ),
        Story(
            "The same without a renewal info",
            {
                $0.losing {
                    $0.buy()
                    $0.renew(3)
                    $0.cancel()
                    $0.expire()
                }
                $0.hasRenewal = false
                $0.to(200)
                $0.refund(about: 0)
            },
            .on(201, [.status: "expired", .paidPeriods: .missing(.historyIncomplete)])
        ),
        Story(
            "The end of the first period, without a renewal info",
            {
                $0.hasRenewal = false
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
            },
            .on(201, [.status: "expired", .historyComplete: true, .paidPeriods: 1, .cancellations: 1])
        ),
        Story(
            "A renewal info that tells of a period without a transaction",
            {
                $0.buy()
                $0.to(10)
                $0.hasTransaction = false
                $0.upgrade(.annual)
            },
            .on(9, [.currentProductId: "monthly", .expiresAt: .day(30), .paidPeriods: 1]),
            .on(
                11,
                [
                    .historyComplete: false, .paidPeriods: .missing(.historyIncomplete),
                    .renewalProductId: "annual", .currentProductId: .missing(.historyIncomplete),
                    .expiresAt: .missing(.historyIncomplete), .price: .missing(.historyIncomplete),
                    .renewsAt: .day(375), .inTrial: .missing(.historyIncomplete),
                ]
            )
        ),
        Story(
            "A renewal info alone tells that a subscription which had ended runs again",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(50)
                $0.losing { $0.buy() }
                $0.to(55)
                _ = $0.signRenewal()
            },
            .on(49, [.status: "expired", .currentProductId: "monthly", .inOffer: false]),
            .on(
                56,
                [
                    .status: .missing(.ended), .currentProductId: .missing(.historyIncomplete),
                    .inOffer: .missing(.historyIncomplete), .autoRenew: true, .renewsAt: .day(80),
                    .paidPeriods: .missing(.historyIncomplete), .historyComplete: false,
                ]
            )
        ),
        Story(
            "The first known payload is about a period that the customer left by an upgrade",
            {
                $0.losing {
                    $0.buy()
                    $0.to(5)
                    $0.upgrade(.premium)
                }
                $0.to(10)
                $0.refund("REFUND_PRORATED", percentage: 50_000, about: 0)
            },
            .on(
                11,
                [
                    .currentProductId: .missing(.historyIncomplete), .price: .missing(.historyIncomplete),
                    .paidPeriods: .missing(.historyIncomplete), .historyComplete: false,
                    .inTrial: .missing(.historyIncomplete), .status: "active",
                ]
            )
        ),
        Story(
            "The second of two upgrades is known, and the first period from a later payload",
            {
                $0.losing {
                    $0.buy(.basic)
                    $0.to(5)
                    $0.upgrade(.monthly)
                }
                $0.to(10)
                $0.upgrade(.premium)
                $0.to(12)
                $0.refund("REFUND_PRORATED", percentage: 50_000, about: 0)
            },
            .on(
                13,
                [
                    .currentProductId: "premium", .paidPeriods: .missing(.historyIncomplete),
                    .offersAccepted: .missing(.historyIncomplete), .historyComplete: false,
                ]
            )
        ),
        Story(
            "The second of two upgrades is known, and that the customer had left the first period before",
            {
                $0.losing {
                    $0.buy(.basic)
                    $0.to(5)
                    $0.upgrade(.monthly)
                }
                $0.to(7)
                $0.refund("REFUND_PRORATED", percentage: 50_000, about: 0)
                $0.to(10)
                $0.upgrade(.premium)
            },
            .on(11, [.paidPeriods: .missing(.historyIncomplete), .historyComplete: false])
        ),
        Story(
            "Only an upgrade is known that came minutes after the first purchase",
            {
                $0.losing { $0.buy(.monthly, .promotional()) }
                $0.to(0.01)
                $0.upgrade(.premium)
            },
            .on(1, [.offersAccepted: .missing(.historyIncomplete), .historyComplete: false])
        ),
        Story(
            "A first copy of the first period that Apple signed late",
            {
                $0.losing { $0.buy() }
                $0.to(20)
                $0.downgrade(.basic)
            },
            .on(21, [.paidPeriods: 1, .historyComplete: true, .refunds: .missing(.eventsIncomplete)])
        ),
    ]
}
