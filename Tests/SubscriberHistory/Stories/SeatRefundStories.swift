import SubscriberHistory

extension Story {
    /// Refunds of seats, and of the rest behind them.
    static let seatRefunds: [Story] = [
        Story(
            "A refund of seats",
            {
                $0.buy(Plan(product: "team", quantity: 10))
                $0.to(10)
                $0.refundSeats()
            },
            .on(9, [.seats: 10, .refunds: 0]),
            .on(11, [.refunds: 1, .lastRefundAt: .day(10), .paidPeriods: 1, .status: "active", .seats: 9])
        ),
        Story(
            "A refund of seats, and then of the rest",
            {
                $0.buy(Plan(product: "team", quantity: 10))
                $0.to(10)
                $0.refundSeats()
                $0.to(12)
                $0.refund()
            },
            .on(13, [.refunds: 1, .lastRefundAt: .day(12), .paidPeriods: 0, .seats: 0, .status: "revoked"])
        ),
        Story(
            "A refund of seats, and then of the rest, which is reversed",
            {
                $0.buy(Plan(product: "team", quantity: 10))
                $0.to(10)
                $0.refundSeats()
                $0.to(12)
                $0.refund()
                $0.to(14)
                $0.reverseRefund()
            },
            .on(15, [.refunds: 1, .lastRefundAt: .day(10), .paidPeriods: 1, .seats: 9, .status: "active"])
        ),
        Story(
            "A refund of seats, which is reversed",
            {
                $0.buy(Plan(product: "team", quantity: 10))
                $0.to(10)
                $0.refundSeats()
                $0.to(12)
                $0.reverseSeatRefund()
            },
            .on(13, [.seats: 10, .refunds: 0, .lastRefundAt: .missing(.neverHappened), .paidPeriods: 1])
        ),
        Story(
            "A refund of seats in Apple's history alone",
            {
                $0.buy(Plan(product: "team", quantity: 10))
                $0.payloads = .init()
                $0.to(15)
                $0.sync()
            },
            .on(16, [.paidPeriods: 1, .refunds: .missing(.eventsIncomplete), .seats: 10])
        ),
    ]
}
