import NotificationStore
import SubscriberHistory

extension Story {
    private static let team = Plan(product: "team", price: 5_000, quantity: 5)

    /// Seats that are added by transactions of their own, and refunds of them.
    static let seats: [Story] = [
        Story(
            "Seats are added, the period is signed again, some are refunded, and then the added ones",
            {
                $0.buy(team)
                $0.renew()
                $0.to(40)
                $0.addSeats(4)
                $0.to(42)
                $0.cancel()
                $0.to(44)
                $0.refundSeats(2)
                $0.to(46)
                $0.refund(about: 1)
            },
            .on(31, [.seats: 5, .paidPeriods: 2]),
            .on(41, [.seats: 9, .paidPeriods: 2, .expiresAt: .day(60), .historyComplete: true]),
            .on(
                43,
                [
                    .seats: 9, .paidPeriods: 2, .paidMonths: 2, .status: "active", .expiresAt: .day(60),
                    .currentProductId: "team", .cancellations: 1, .autoRenew: false, .historyComplete: true,
                ]
            ),
            .on(45, [.seats: 7, .paidPeriods: 2, .refunds: 1, .lastRefundAt: .day(44), .status: "active"]),
            .on(47, [.seats: 3, .paidPeriods: 2, .refunds: 2, .lastRefundAt: .day(46), .status: "active"])
        ),
        Story(
            "A refund of seats of the only period, whose transaction has the mark of added seats",
            {
                $0.buy(team)
                $0.alteringTransaction = { $0.additionalReason = "SEAT_ADDITION" }
                $0.to(10)
                $0.refundSeats(2)
            },
            .on(
                11,
                [
                    .seats: .missing(.seatsChanged), .status: "active", .paidPeriods: 1, .refunds: 1,
                    .currentProductId: "team", .expiresAt: .day(30),
                ]
            )
        ),
        Story(
            "Seats are added, and no copy has the mark yet",
            {
                $0.buy(team)
                $0.to(5)
                $0.alteringTransaction = { $0.additionalReason = nil }
                $0.addSeats(4)
            },
            .on(6, [.seats: 9, .paidPeriods: 1, .paidMonths: 1, .historyComplete: true])
        ),
        Story(
            "The mark says that seats were added, and later others are added",
            {
                $0.buy(team)
                $0.to(4)
                $0.alteringTransaction = { $0.additionalReason = "SEAT_ADDITION" }
                $0.notify("PRICE_INCREASE", "PENDING")
                $0.to(6)
                $0.alteringTransaction = { _ in }
                $0.addSeats(2)
            },
            .on(7, [.seats: .missing(.seatsChanged), .paidPeriods: 1, .status: "active"])
        ),
        Story(
            "The first payload is the refund of seats that were added to an unknown period",
            {
                $0.losing {
                    $0.buy(team)
                    $0.to(5)
                    $0.addSeats(4)
                }
                $0.to(10)
                $0.refund(about: 0)
            },
            .on(11, [.status: "active", .seats: .missing(.seatsChanged)])
        ),
        Story(
            "A period is refunded to which unknown seats were added",
            {
                $0.buy(team)
                $0.to(5)
                $0.losing { $0.addSeats(4) }
                $0.to(10)
                $0.refund()
            },
            .on(
                11,
                [
                    .status: "active", .paidPeriods: .missing(.seatsChanged),
                    .paidMonths: .missing(.seatsChanged),
                ]
            )
        ),
        Story(
            "The first payload is the refund of a period behind which an unknown one runs",
            {
                $0.losing {
                    $0.buy()
                    $0.renew()
                }
                $0.to(40)
                $0.refund(about: 0)
            },
            .on(41, [.status: .missing(.ended)])
        ),
        Story(
            "Seats are added twice, both are signed again, and the next period has all of them",
            {
                $0.buy(team)
                $0.to(5)
                $0.addSeats(2)
                $0.to(10)
                $0.addSeats(3)
                $0.to(12)
                $0.notify("PRICE_INCREASE", "PENDING", about: 0)
                $0.notify("PRICE_INCREASE", "PENDING", about: 1)
                $0.coming.quantity = 10
                $0.renew()
            },
            .on(6, [.seats: 7]),
            .on(13, [.seats: 10, .paidPeriods: 1, .paidMonths: 1]),
            .on(31, [.seats: 10, .paidPeriods: 2, .paidMonths: 2, .historyComplete: true])
        ),
        Story(
            "The period's own transaction is refunded, later the added seats, and both come back",
            {
                $0.buy(team)
                $0.to(5)
                $0.addSeats(4)
                $0.to(8)
                $0.refund()
                $0.to(10)
                $0.refund(about: 0)
                $0.to(12)
                $0.reverseRefund(about: 0)
                $0.to(14)
                $0.reverseRefund()
            },
            .on(9, [.seats: 4, .status: "active", .paidPeriods: 1, .refunds: 1, .inOffer: false]),
            .on(11, [.seats: 0, .status: "revoked", .paidPeriods: 0, .paidMonths: 0, .refunds: 2]),
            .on(13, [.seats: 4, .status: "active", .paidPeriods: 1, .refunds: 1]),
            .on(15, [.seats: 9, .status: "active", .paidPeriods: 1, .refunds: 0])
        ),
        Story(
            "Apple's history has the added seats and how many were refunded",
            {
                $0.buy(team)
                $0.to(5)
                $0.addSeats(4)
                $0.to(6)
                $0.refundSeats(3, about: 0)
                $0.payloads = .init()
                $0.to(15)
                $0.sync()
            },
            .on(16, [.seats: 6, .paidPeriods: 1, .status: "active", .refunds: .missing(.eventsIncomplete)])
        ),
        Story(
            "All seats are refunded, the added ones and the others",
            {
                $0.buy(team)
                $0.to(5)
                $0.addSeats(4)
                $0.to(6)
                $0.refundSeats(4, about: 0)
                $0.to(8)
                $0.refundSeats(5)
            },
            .on(7, [.seats: 5, .paidPeriods: 1, .refunds: 1]),
            .on(9, [.seats: 0, .paidPeriods: 0, .refunds: 2, .status: "active"])
        ),
        Story(
            "A refund of seats, and then a copy without their number",
            {
                $0.buy(team)
                $0.to(5)
                $0.refundSeats(2)
                $0.alteringTransaction = { $0.revokedSeatQuantity = nil }
                $0.to(8)
                $0.cancel()
            },
            .on(9, [.seats: 3, .refunds: 1])
        ),
        Story(
            "A refund of seats whose number no copy has",
            {
                $0.buy(team)
                $0.to(5)
                $0.alteringTransaction = { $0.revokedSeatQuantity = nil }
                $0.refundSeats(2)
            },
            .on(6, [.seats: .missing(.seatsChanged), .refunds: 1, .paidPeriods: 1])
        ),
        Story(
            "More seats are refunded than there were",
            {
                $0.buy(team)
                $0.to(5)
                $0.refundSeats(6)
            },
            .on(6, [.seats: .missing(.unknownValue), .refunds: 1])
        ),
        Story(
            "Seats whose number is missing, or does not fit",
            {
                $0.buy(team)
                $0.alteringTransaction = { if $0.transactionID == "1000-2" { $0.quantity = nil } }
                $0.to(5)
                $0.addSeats(4)
                $0.to(8)
                $0.unfit = ["quantity"]
                $0.alteringTransaction = { $0.quantity = nil }
                $0.notify("PRICE_INCREASE", "PENDING", about: 0)
            },
            .on(6, [.seats: .missing(.noValue), .paidPeriods: 1]),
            .on(9, [.seats: .missing(.unfitValue), .paidPeriods: 1])
        ),
        Story(
            "The number of refunded seats does not fit",
            {
                $0.buy(team)
                $0.to(5)
                $0.refundSeats(2)
                $0.unfit = ["revoked_seat_quantity"]
                $0.alteringTransaction = { $0.revokedSeatQuantity = nil }
                $0.to(8)
                $0.cancel()
            },
            .on(9, [.seats: .missing(.unfitValue)])
        ),
        Story(
            "Seats are added by a notification without its transaction",
            {
                $0.buy(team)
                $0.to(5)
                $0.hasTransaction = false
                $0.addSeats(4)
                $0.hasTransaction = true
                $0.coming.quantity = 9
                $0.renew()
            },
            .on(6, [.seats: .missing(.seatsChanged), .paidPeriods: 1]),
            .on(31, [.seats: 9])
        ),
        Story(
            "The period with added seats is extended, and the added seats are not signed again",
            {
                $0.buy(team)
                $0.to(5)
                $0.addSeats(4)
                $0.to(8)
                $0.extend(days: 10)
            },
            .on(9, [.seats: 9, .paidPeriods: 1, .expiresAt: .day(40)])
        ),
        Story(
            "Seats are added after an upgrade",
            {
                $0.buy(team)
                $0.to(5)
                $0.upgrade(Plan(product: "company", price: 7_000, quantity: 5))
                $0.to(8)
                $0.addSeats(2)
                $0.to(9)
                $0.cancel()
            },
            .on(10, [.seats: 7, .paidPeriods: 1, .paidMonths: 1, .currentProductId: "company"])
        ),
        Story(
            "A period with added seats is upgraded",
            {
                $0.buy(team)
                $0.to(5)
                $0.addSeats(2)
                $0.to(8)
                $0.upgrade(Plan(product: "company", price: 7_000, quantity: 7))
                $0.to(9)
                $0.cancel()
            },
            .on(10, [.seats: 7, .paidPeriods: 1, .currentProductId: "company", .historyComplete: true])
        ),
        Story(
            "A subscription with added seats ends, and Apple names the added ones",
            {
                $0.buy(team)
                $0.to(5)
                $0.addSeats(2)
                $0.to(20)
                $0.cancel()
                $0.alteringRenewal = { $0.renewsAt = nil }
                $0.to(31)
                $0.renewal.expirationIntent = 1
                $0.status = 2
                $0.notify("EXPIRED", "VOLUNTARY", about: 0)
            },
            .on(32, [.status: "expired", .paidPeriods: 1, .historyComplete: true])
        ),
        Story(
            "A period whose first transaction got lost, with seats that were added",
            {
                $0.buy(team)
                $0.losing { $0.renew() }
                $0.to(40)
                $0.addSeats(4)
            },
            .on(
                41,
                [
                    .seats: .missing(.seatsChanged), .currentProductId: "team", .expiresAt: .day(60),
                    .paidPeriods: .missing(.historyIncomplete),
                ]
            )
        ),
    ]
}
