import NotificationStore
import SubscriberHistory

extension Story {
    /// Offers of which the payloads show only a part.
    static let moreOffers: [Story] = [
        Story(
            "An offer without an identifier",
            {
                $0.buy()
                $0.to(5)
                $0.redeem(.promotional(nil))
            },
            .on(6, [.offersAccepted: 1, .lastOfferType: 2, .lastOfferIdentifier: .missing(.noValue)])
        ),
        Story(
            "An accepted offer that no payload names yet",
            {
                $0.buy()
                $0.to(10)
                $0.hasRenewal = false
                $0.redeem(.promotional())
                $0.hasRenewal = true
                $0.renew()
            },
            .on(9, [.offersAccepted: 0]),
            .on(
                11,
                [
                    .offersAccepted: .missing(.noValue), .promotionalOffersAccepted: .missing(.noValue),
                    .lastOfferAt: .missing(.noValue), .paidPeriods: 1,
                ]
            ),
            .on(31, [.offersAccepted: 1, .lastOfferAt: .day(30)])
        ),
        Story(
            "An offer shown by the renewal info of another notification",
            {
                $0.buy()
                $0.to(10)
                $0.losing { $0.redeem(.promotional()) }
                $0.to(12)
                $0.cancel()
                $0.to(13)
                $0.resume()
                $0.renew()
            },
            .on(13, [.offersAccepted: 1, .lastOfferAt: .day(12)]),
            .on(31, [.offersAccepted: 1, .lastOfferAt: .day(12), .inRetentionOffer: true])
        ),
        Story(
            "An offer in three periods, known from the second one on",
            {
                $0.buy()
                $0.to(20)
                $0.losing {
                    $0.redeem(.promotional(periods: 3))
                    $0.renew()
                }
                $0.payloads = .init()
                $0.renew()
            },
            .on(
                61,
                [
                    .lastOfferAt: .missing(.historyIncomplete), .lastOfferType: .missing(.historyIncomplete),
                    .offersAccepted: .missing(.historyIncomplete), .inRetentionOffer: true,
                ]
            )
        ),
        Story(
            "An offer in three periods, of which the second one is unknown",
            {
                $0.buy()
                $0.renew(1)
                $0.to(35)
                $0.redeem(.promotional(periods: 3))
                $0.renew()
                $0.losing { $0.renew() }
                $0.renew()
                $0.to(125)
                $0.sync()
            },
            .on(89, [.offersAccepted: 1, .lastOfferAt: .day(35)]),
            .on(
                121,
                [
                    .offersAccepted: .missing(.historyIncomplete),
                    .lastOfferAt: .missing(.historyIncomplete), .inRetentionOffer: true,
                ]
            ),
            .on(126, [.offersAccepted: 1, .lastOfferAt: .day(35), .paidPeriods: 5])
        ),
        Story(
            "An offer accepted after a gap is the last one",
            {
                $0.buy()
                $0.losing { $0.renew() }
                $0.renew(2)
                $0.to(110)
                $0.redeem(.retention())
            },
            .on(
                111,
                [
                    .lastOfferAt: .day(110), .lastOfferType: 5, .lastOfferIdentifier: "stay",
                    .offersAccepted: .missing(.historyIncomplete),
                    .retentionOffersAccepted: .missing(.historyIncomplete),
                ]
            )
        ),
        Story(
            "An offer of a return after an unknown time is the last one",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(90)
                $0.buy(.monthly, .promotional())
            },
            .on(
                91,
                [
                    .lastOfferAt: .day(90), .lastOfferIdentifier: "half",
                    .offersAccepted: .missing(.historyIncomplete),
                ]
            )
        ),
        Story(
            "A retention offer in two periods, with a price that was collected late",
            {
                $0.buy()
                $0.to(20)
                $0.redeem(.retention(periods: 2))
                $0.renew()
                $0.failToRenew()
                $0.to(65)
                $0.recover()
            },
            .on(61, [.status: "billingRetry", .inRetentionOffer: false, .offersAccepted: 1]),
            .on(66, [.offersAccepted: 1, .inRetentionOffer: true, .paidPeriods: 3, .lastOfferAt: .day(20)])
        ),
        Story(
            "An offer in two periods that ends with a downgrade in the grace period",
            {
                $0.buy(.premium)
                $0.to(5)
                $0.redeem(.promotional(periods: 2))
                $0.renew()
                $0.to(40)
                $0.downgrade(.basic)
                $0.failToRenew(graceDays: 16)
                $0.to(65)
                $0.recover()
            },
            .on(41, [.offersAccepted: 1, .renewalPrice: 4_990, .price: 990]),
            .on(66, [.offersAccepted: 1, .lastOfferAt: .day(5), .inRetentionOffer: false])
        ),
        Story(
            "A promotional offer that is free is no trial",
            {
                var free = Offer.promotional()
                (free.discount, free.price) = ("FREE_TRIAL", 0)
                $0.buy()
                $0.to(5)
                $0.redeem(free)
                $0.renew()
            },
            .on(31, [.inTrial: false, .inIntroOffer: false, .inRetentionOffer: true, .paidPeriods: 1])
        ),
        Story(
            "An offer of a type that Apple added later",
            { $0.buy(.monthly, Offer(type: 6, identifier: "new")) },
            .on(1, [.offersAccepted: 0, .inRetentionOffer: false, .inIntroOffer: false, .paidPeriods: 1])
        ),
        Story(
            "The offer of a renewal that Apple charged a day ahead",
            {
                $0.buy()
                $0.to(10)
                $0.losing { $0.redeem(.promotional()) }
                $0.renew(ahead: 24)
            },
            .on(28, [.offersAccepted: 0]),
            .on(29.5, [.offersAccepted: 1, .lastOfferAt: .day(29), .inRetentionOffer: false]),
            .on(30, [.offersAccepted: 1, .lastOfferAt: .day(29), .inRetentionOffer: true])
        ),
        Story(
            "An offer accepted between the charge and the begin of a period",
            {
                $0.buy()
                $0.to(5)
                $0.redeem(.promotional())
                $0.renew(ahead: 20)
                $0.to(29.5)
                $0.redeem(.promotional("third"))
                $0.renew()
            },
            .on(29.6, [.offersAccepted: 2, .lastOfferIdentifier: "third", .lastOfferAt: .day(29.5)]),
            .on(31, [.offersAccepted: 2, .inRetentionOffer: true, .price: 990, .renewalPrice: 990]),
            .on(61, [.offersAccepted: 2, .lastOfferIdentifier: "third", .lastOfferAt: .day(29.5)])
        ),
    ]
}
