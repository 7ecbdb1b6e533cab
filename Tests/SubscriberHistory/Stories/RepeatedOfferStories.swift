import NotificationStore
import SubscriberHistory

extension Story {
    /// The same offer, accepted more than once.
    static let repeatedOffers: [Story] = [
        Story(
            "The same offer is accepted in each of three periods",
            {
                $0.buy()
                for day in [20.0, 50, 80] {
                    $0.to(day)
                    $0.redeem(.promotional())
                    $0.renew()
                }
            },
            .on(49, [.offersAccepted: 1, .lastOfferAt: .day(20), .inRetentionOffer: true]),
            .on(51, [.offersAccepted: 2, .lastOfferAt: .day(50)]),
            .on(79, [.offersAccepted: 2, .lastOfferAt: .day(50), .inRetentionOffer: true]),
            .on(91, [.offersAccepted: 3, .promotionalOffersAccepted: 3, .lastOfferAt: .day(80)])
        ),
        Story(
            "Seconds before the charge of its first period",
            {
                $0.buy()
                $0.to(29.9999)
                $0.redeem(.promotional(periods: 3))
                $0.renew(3)
            },
            .on(29.99995, [.offersAccepted: 1, .lastOfferAt: .day(29.9999)]),
            .on(100, [.offersAccepted: 1, .lastOfferAt: .day(29.9999), .lastOfferType: 2])
        ),
        Story(
            "An offer of three periods is accepted again in its second period",
            {
                $0.buy()
                $0.to(5)
                $0.redeem(.retention(periods: 3))
                $0.renew(2)
                $0.to(70)
                $0.redeem(.retention(periods: 2))
                $0.renew(3)
            },
            .on(69, [.offersAccepted: 1, .lastOfferAt: .day(5)]),
            .on(71, [.offersAccepted: 2, .lastOfferAt: .day(70)]),
            .on(160, [.offersAccepted: 2, .retentionOffersAccepted: 2, .lastOfferAt: .day(70)])
        ),
        Story(
            "The same offer again, whose notification was lost",
            {
                $0.buy()
                $0.to(20)
                $0.redeem(.promotional())
                $0.renew()
                $0.to(40)
                $0.losing { $0.redeem(.promotional()) }
                $0.to(45)
                $0.notify("PRICE_INCREASE", "PENDING")
                $0.renew()
            },
            .on(44, [.offersAccepted: 1, .lastOfferAt: .day(20)]),
            .on(46, [.offersAccepted: 2, .lastOfferAt: .day(45)]),
            .on(61, [.offersAccepted: 2, .lastOfferAt: .day(45)])
        ),
        Story(
            "The same offer again, of which only the period tells",
            {
                $0.buy()
                $0.to(20)
                $0.redeem(.promotional())
                $0.renew()
                $0.to(40)
                $0.losing { $0.redeem(.promotional()) }
                $0.renew()
            },
            .on(61, [.offersAccepted: 2, .lastOfferAt: .day(60)])
        ),
        Story(
            "The same offer again, which the notification does not name",
            {
                $0.buy()
                $0.to(5)
                $0.redeem(.promotional(periods: 3))
                $0.renew()
                $0.to(40)
                $0.hasRenewal = false
                $0.redeem(.promotional(periods: 3))
                $0.hasRenewal = true
                $0.renew()
            },
            .on(39, [.offersAccepted: 1, .lastOfferAt: .day(5)]),
            .on(41, [.offersAccepted: .missing(.noValue), .lastOfferAt: .missing(.noValue)]),
            .on(61, [.offersAccepted: 2, .lastOfferAt: .day(60)])
        ),
        Story(
            "The same offer with an upgrade in its first period",
            {
                $0.buy()
                $0.to(5)
                $0.redeem(.promotional(periods: 2))
                $0.renew()
                $0.to(40)
                $0.upgrade(.premium, .promotional(periods: 2))
                $0.renew(2)
            },
            .on(39, [.offersAccepted: 1]),
            .on(41, [.offersAccepted: 2, .lastOfferAt: .day(40)]),
            .on(110, [.offersAccepted: 2, .lastOfferAt: .day(40)])
        ),
        Story(
            "A price in advance in two periods that Apple's server tells of is accepted twice",
            {
                var offer = Offer.promotional()
                offer.discount = "PAY_UP_FRONT"
                let again = offer
                $0.losing {
                    $0.buy()
                    $0.redeem(again)
                    $0.renew()
                    $0.redeem(again)
                    $0.renew()
                }
                $0.to(65)
                $0.sync()
            },
            .on(66, [.offersAccepted: 2, .lastOfferAt: .day(60)])
        ),
        Story(
            "A price for each period in two periods that Apple's server tells of is accepted once",
            {
                $0.losing {
                    $0.buy()
                    $0.redeem(.promotional(periods: 2))
                    $0.renew(2)
                }
                $0.to(65)
                $0.sync()
            },
            .on(66, [.offersAccepted: 1, .lastOfferAt: .day(30)])
        ),
        Story(
            "An offer that the renewal info hides while renewal is off is accepted once",
            {
                $0.buy()
                $0.to(5)
                $0.redeem(.promotional(periods: 3))
                $0.renew()
                $0.to(40)
                $0.alteringRenewal = { ($0.offerType, $0.offerIdentifier) = (nil, nil) }
                $0.cancel()
                $0.alteringRenewal = { _ in }
                $0.to(45)
                $0.resume()
                $0.renew()
            },
            .on(61, [.offersAccepted: 1, .lastOfferAt: .day(5), .cancellations: 1])
        ),
        Story(
            "An offer accepted in a trial, which no payload names",
            {
                $0.buy(.monthly, .trial)
                $0.to(3)
                $0.hasRenewal = false
                $0.redeem(.promotional())
                $0.hasRenewal = true
                $0.to(7)
                $0.losing { $0.renew() }
            },
            .on(2, [.offersAccepted: 0]),
            .on(4, [.offersAccepted: .missing(.noValue), .lastOfferAt: .missing(.noValue)])
        ),
        Story(
            "An offer accepted in an introductory offer, which the renewal info does not show yet",
            {
                $0.buy(.monthly, .introductory)
                $0.to(10)
                $0.alteringRenewal = { ($0.offerType, $0.offerIdentifier) = (1, nil) }
                $0.redeem(.promotional())
                $0.alteringRenewal = { _ in }
                $0.renew()
            },
            .on(11, [.offersAccepted: .missing(.noValue), .inIntroOffer: true]),
            .on(31, [.offersAccepted: 1, .lastOfferAt: .day(30), .inRetentionOffer: true])
        ),
    ]
}
