import SubscriberHistory

extension Story {
    /// Promotional offers, retention offers, win-back offers and offer codes.
    static let offers: [Story] = [
        Story(
            "A promotional offer is accepted while the subscription is active",
            {
                $0.buy()
                $0.to(20)
                $0.redeem(.promotional())
                $0.renew(2)
            },
            .on(19, [.offersAccepted: 0, .lastOfferAt: .missing(.neverHappened)]),
            .on(
                20,
                [
                    .offersAccepted: 1, .promotionalOffersAccepted: 1, .retentionOffersAccepted: 0,
                    .lastOfferAt: .day(20), .lastOfferIdentifier: "half", .lastOfferType: 2,
                    .inRetentionOffer: false, .renewalPrice: 990, .price: 9_990,
                ]
            ),
            .on(
                31,
                [
                    .offersAccepted: 1, .lastOfferAt: .day(20), .inRetentionOffer: true, .price: 990,
                    .renewalPrice: 9_990, .paidPeriods: 2,
                ]
            ),
            .on(61, [.offersAccepted: 1, .lastOfferAt: .day(20), .inRetentionOffer: false, .paidPeriods: 3])
        ),
        Story(
            "A promotional offer that is paid in three periods is one",
            {
                $0.buy()
                $0.to(20)
                $0.redeem(.promotional(periods: 3))
                $0.renew(4)
            },
            .on(31, [.offersAccepted: 1, .inRetentionOffer: true]),
            .on(61, [.offersAccepted: 1, .inRetentionOffer: true, .lastOfferAt: .day(20)]),
            .on(91, [.offersAccepted: 1, .inRetentionOffer: true, .lastOfferAt: .day(20)]),
            .on(121, [.offersAccepted: 1, .inRetentionOffer: false, .lastOfferAt: .day(20), .paidPeriods: 5])
        ),
        Story(
            "A retention offer is accepted after renewal was switched off",
            {
                $0.buy()
                $0.to(10)
                $0.cancel()
                $0.to(12)
                $0.redeem(.retention())
                $0.renew()
            },
            .on(11, [.autoRenew: false, .offersAccepted: 0, .cancellations: 1]),
            .on(
                13,
                [
                    .autoRenew: true, .offersAccepted: 1, .retentionOffersAccepted: 1,
                    .promotionalOffersAccepted: 0, .lastOfferType: 5, .lastOfferIdentifier: "stay",
                    .lastOfferAt: .day(12), .cancellations: 1,
                    .autoRenewOffAt: .missing(.neverHappened),
                ]
            ),
            .on(31, [.inRetentionOffer: true, .offersAccepted: 1, .lastOfferAt: .day(12)])
        ),
        Story(
            "A retention offer is accepted, and the period never comes",
            {
                $0.buy()
                $0.to(12)
                $0.redeem(.retention())
                $0.to(20)
                $0.promised = nil
                $0.cancel()
                $0.expire()
            },
            .on(21, [.offersAccepted: 1, .autoRenew: false, .lastOfferAt: .day(12)]),
            .on(100, [.offersAccepted: 1, .lastOfferAt: .day(12), .status: "expired", .paidPeriods: 1])
        ),
        Story(
            "A promotional offer and then a retention offer",
            {
                $0.buy()
                $0.to(20)
                $0.redeem(.promotional())
                $0.renew()
                $0.to(40)
                $0.redeem(.retention())
                $0.renew()
            },
            .on(
                61,
                [
                    .offersAccepted: 2, .promotionalOffersAccepted: 1, .retentionOffersAccepted: 1,
                    .lastOfferType: 5, .lastOfferAt: .day(40), .lastOfferIdentifier: "stay",
                ]
            )
        ),
        Story(
            "The same offer twice with a period at the full price between",
            {
                $0.buy()
                $0.to(20)
                $0.redeem(.promotional())
                $0.renew(2)
                $0.to(70)
                $0.redeem(.promotional())
                $0.renew()
            },
            .on(69, [.offersAccepted: 1, .lastOfferAt: .day(20)]),
            .on(71, [.offersAccepted: 2, .lastOfferAt: .day(70)]),
            .on(91, [.offersAccepted: 2, .lastOfferAt: .day(70), .inRetentionOffer: true])
        ),
        Story(
            "Another offer takes the place of a promised one",
            {
                $0.buy()
                $0.to(10)
                $0.redeem(.promotional("half"))
                $0.to(15)
                $0.redeem(.promotional("third"))
                $0.renew()
            },
            .on(
                31,
                [
                    .offersAccepted: 2, .lastOfferIdentifier: "third", .lastOfferAt: .day(15),
                    .inRetentionOffer: true,
                ]
            )
        ),
        Story(
            "An offer is accepted with an upgrade",
            {
                $0.buy()
                $0.to(10)
                $0.upgrade(.premium, .promotional())
                $0.renew()
            },
            .on(
                11,
                [
                    .offersAccepted: 1, .lastOfferAt: .day(10), .inRetentionOffer: true,
                    .currentProductId: "premium", .paidPeriods: 1, .expiresAt: .day(40),
                ]
            ),
            .on(41, [.offersAccepted: 1, .inRetentionOffer: false, .paidPeriods: 2, .price: 19_990])
        ),
        Story(
            "An offer is accepted with a downgrade",
            {
                $0.buy()
                $0.to(10)
                $0.redeem(.promotional(), .basic)
                $0.renew()
            },
            .on(
                11,
                [
                    .offersAccepted: 1, .lastOfferAt: .day(10), .inRetentionOffer: false,
                    .currentProductId: "monthly", .renewalProductId: "basic", .renewalPrice: 990,
                ]
            ),
            .on(31, [.offersAccepted: 1, .inRetentionOffer: true, .currentProductId: "basic", .price: 990])
        ),
        Story(
            "An offer of the customer who returns within its promise",
            {
                $0.buy()
                $0.to(20)
                $0.redeem(.promotional())
                $0.to(25)
                $0.cancel()
                $0.expire()
                $0.to(50)
                $0.buy(.monthly, .promotional())
                $0.to(51)
                $0.sync()
            },
            .on(31, [.offersAccepted: 1, .lastOfferAt: .day(20)]),
            .on(52, [.offersAccepted: 2, .lastOfferAt: .day(50), .inRetentionOffer: true])
        ),
        Story(
            "A first purchase with a promotional offer",
            { $0.buy(.monthly, .promotional()) },
            .on(
                1,
                [
                    .inOffer: true, .offersAccepted: 1, .lastOfferAt: .day(0), .inRetentionOffer: true,
                    .paidPeriods: 1,
                ]
            )
        ),
        Story(
            "A win-back offer brings the customer back",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(100)
                $0.buy(.monthly, .winBack)
                $0.to(100.5)
                $0.sync()
                $0.renew()
            },
            .on(
                101,
                [
                    .cancellations: 1, .returns: 1,
                    .winBackOffersAccepted: 1, .offersAccepted: 0, .inRetentionOffer: false, .inOffer: true,
                    .lastOfferAt: .missing(.neverHappened), .firstPurchaseAt: .day(0),
                    .subscribedAt: .day(100), .paidPeriods: 2,
                ]
            ),
            .on(131, [.winBackOffersAccepted: 1, .paidPeriods: 3, .inOffer: false])
        ),
        Story(
            "An offer code is no retention offer",
            {
                $0.buy(.monthly, .code)
                $0.to(20)
                $0.redeem(.code)
                $0.renew()
            },
            .on(1, [.offersAccepted: 0, .winBackOffersAccepted: 0, .inIntroOffer: false, .paidPeriods: 1]),
            .on(
                31,
                [
                    .offersAccepted: 0, .inRetentionOffer: false, .inOffer: true,
                    .lastOfferAt: .missing(.neverHappened),
                ]
            )
        ),
    ]
}
