import NotificationStore
import SubscriberHistory

extension Story {
    /// Families, organizations, seats.
    static let shared: [Story] = [
        Story(
            "A subscription that a family shares",
            {
                $0.ownership = "FAMILY_SHARED"
                $0.buy(Plan(price: nil))
                $0.renew()
            },
            .on(
                1,
                [
                    .familyShared: true, .paidPeriods: 0, .status: "active", .expiresAt: .day(30),
                    .offersAccepted: 0, .returns: 0, .refunds: 0, .currency: .missing(.noValue),
                    .autoRenew: true, .inOffer: false,
                ]
            ),
            .on(
                31,
                [
                    .familyShared: true, .paidPeriods: 0, .status: "active", .price: .missing(.noValue),
                    .historyComplete: true, .expiresAt: .day(60),
                ]
            ),
            .on(61, [.familyShared: true, .paidPeriods: .missing(.ended), .status: .missing(.ended)])
        ),
        Story(
            "A family takes its subscription back",
            {
                $0.ownership = "FAMILY_SHARED"
                $0.buy(Plan(price: nil))
                $0.to(10)
                $0.refund("FAMILY_REVOKE", "REVOKE")
            },
            .on(9, [.status: "active", .refunds: 0, .paidPeriods: 0, .familyShared: true]),
            .on(11, [.status: "revoked", .refunds: 0, .paidPeriods: 0, .familyShared: true]),
            .on(
                50,
                [
                    .status: "revoked", .refunds: 0, .lastRefundAt: .missing(.neverHappened),
                    .paidPeriods: 0, .returns: 0, .cancellations: 0, .inOffer: false,
                ]
            )
        ),
        Story(
            "A subscription that an organization assigned",
            {
                $0.ownership = "ASSIGNED"
                $0.buy(Plan(price: nil))
                $0.to(10)
                $0.refund("ASSIGNMENT_REVOKE", "REVOKE")
            },
            .on(9, [.status: "active", .familyShared: false, .paidPeriods: 0]),
            .on(11, [.status: "revoked", .refunds: 0, .paidPeriods: 0]),
            .on(50, [.status: "revoked", .refunds: 0, .familyShared: false, .returns: 0])
        ),
        Story(
            "An offer of the member of a family who pays is not the guest's",
            {
                $0.ownership = "FAMILY_SHARED"
                $0.buy(Plan(price: nil), Offer(type: 2, identifier: "half", price: nil))
                $0.to(10)
                $0.redeem(.retention())
                $0.offer?.price = nil
                $0.promised?.price = nil
                $0.renew()
            },
            .on(1, [.offersAccepted: 0, .paidPeriods: 0, .inRetentionOffer: true, .familyShared: true]),
            .on(11, [.offersAccepted: 0, .lastOfferAt: .missing(.neverHappened), .inRetentionOffer: true]),
            .on(
                31,
                [.offersAccepted: 0, .retentionOffersAccepted: 0, .paidPeriods: 0, .inRetentionOffer: true])
        ),
        Story(
            "An offer that the family accepted, and one of a guest who has a subscription of their own",
            {
                $0.ownership = "FAMILY_SHARED"
                $0.buy(Plan(price: nil))
                $0.to(5)
                $0.redeem(.retention())
                $0.to(10)
                $0.ownership = "PURCHASED"
                $0.buy(.annual)
                $0.to(20)
                $0.redeem(.promotional())
                $0.to(30)
                $0.sharePeriod(from: 30, until: 60)
            },
            .on(6, [.offersAccepted: 0, .familyShared: true, .historyComplete: true]),
            .on(
                21,
                [
                    .offersAccepted: 1, .promotionalOffersAccepted: 1, .lastOfferAt: .day(20),
                    .familyShared: false, .paidPeriods: 1, .renewalPrice: 990,
                ]
            ),
            .on(
                31,
                [
                    .historyComplete: true, .paidPeriods: 1, .currentProductId: "annual",
                    .expiresAt: .day(375), .offersAccepted: 1,
                ]
            ),
            .on(70, [.currentProductId: "annual", .status: "active", .paidPeriods: 1, .familyShared: false]),
            .on(400, [.currentProductId: "annual", .expiresAt: .day(375), .familyShared: false])
        ),
        Story(
            "A renewal info names the offer that the member of a family who pays accepted",
            {
                $0.ownership = "FAMILY_SHARED"
                $0.buy(Plan(price: nil))
                $0.to(20)
                $0.redeem(.promotional())
                $0.renew()
                $0.to(40)
                $0.ownership = "PURCHASED"
                $0.buy(.premium)
                $0.to(50)
                $0.redeem(.retention())
            },
            .on(21, [.offersAccepted: 0, .lastOfferAt: .missing(.neverHappened)]),
            .on(31, [.offersAccepted: 0, .inRetentionOffer: true, .paidPeriods: 0]),
            .on(
                51,
                [
                    .offersAccepted: 1, .retentionOffersAccepted: 1, .lastOfferAt: .day(50),
                    .inRetentionOffer: false, .paidPeriods: 1,
                ]
            )
        ),
        Story(
            "A family shares a subscription with a customer who has one",
            {
                $0.buy()
                $0.to(10)
                $0.ownership = "FAMILY_SHARED"
                $0.buy(Plan(price: nil))
            },
            .on(11, [.paidPeriods: 1, .paidMonths: 1])
        ),
        Story(
            "A guest buys a subscription of their own",
            {
                $0.ownership = "FAMILY_SHARED"
                $0.buy(Plan(price: nil))
                $0.to(10)
                $0.ownership = "PURCHASED"
                $0.buy(.premium)
                // The family's subscription goes on under the same identifier.
                $0.to(30)
                $0.sharePeriod(from: 30, until: 60)
                $0.renew()
            },
            .on(9, [.familyShared: true, .paidPeriods: 0]),
            .on(11, [.familyShared: false, .paidPeriods: 1, .currentProductId: "premium"]),
            .on(
                31,
                [.familyShared: false, .paidPeriods: 1, .currentProductId: "premium", .expiresAt: .day(40)]),
            .on(41, [.familyShared: false, .paidPeriods: 2, .expiresAt: .day(70)])
        ),
        Story(
            "A kind of ownership that Apple added later",
            {
                $0.ownership = "GIVEN"
                $0.buy()
            },
            .on(1, [.familyShared: false, .paidPeriods: .missing(.unknownValue), .status: "active"])
        ),
        Story(
            "A subscription with seats",
            {
                $0.buy(Plan(product: "team", price: 5_000, quantity: 10))
                $0.renew()
            },
            .on(1, [.seats: 10, .price: 5_000, .paidPeriods: 1]),
            .on(31, [.seats: 10, .paidPeriods: 2])
        ),
        Story(
            "Seats are added in the middle of a period",
            {
                $0.buy(Plan(product: "team", price: 5_000, quantity: 10))
                $0.to(10)
                $0.addSeats(3)
                $0.coming.quantity = 13
                $0.renew()
            },
            .on(11, [.seats: 13, .paidPeriods: 1, .expiresAt: .day(30), .historyComplete: true]),
            .on(31, [.seats: 13, .paidPeriods: 2, .historyComplete: true])
        ),
    ]
}

extension Life {
    /// Adds a period that a family shares with the customer, and which is not the customer's own.
    mutating func sharePeriod(from start: Double, until end: Double) {
        let own = transactions[place]
        ownership = "FAMILY_SHARED"
        pay("RENEWAL", from: Life.time(start), until: Life.time(end))
        transactions[place].price = nil
        transactions[place].productID = "monthly"
        ownership = "PURCHASED"
        // The customer's own period goes on being the last one.
        transactions.swapAt(place, place - 1)
        notify("DID_RENEW", about: place - 1)
        precondition(transactions[place] == own)
    }
}
