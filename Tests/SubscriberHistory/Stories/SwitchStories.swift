import NotificationStore
import SubscriberHistory

extension Story {
    /// Renewal goes off and on again, and some of the notices are missing or come twice.
    static let switches: [Story] = [
        Story(
            "Renewal goes on, and nothing has said that it was off",
            {
                $0.buy()
                $0.to(10)
                $0.losing { $0.cancel() }
                $0.to(12)
                $0.resume()
                $0.renew()
                $0.to(40)
                $0.cancel()
            },
            .on(9, [.autoRenew: true, .cancellations: 0, .lastCancelAt: .missing(.neverHappened)]),
            .on(
                13,
                [
                    .autoRenew: true, .autoRenewOffAt: .missing(.neverHappened),
                    .cancellations: .missing(.eventsIncomplete),
                    .lastCancelAt: .missing(.eventsIncomplete), .paidPeriods: 1, .refunds: 0,
                    .historyComplete: true,
                ]
            ),
            .on(31, [.cancellations: .missing(.eventsIncomplete), .paidPeriods: 2]),
            .on(
                41,
                [.autoRenew: false, .autoRenewOffAt: .day(40), .cancellations: .missing(.eventsIncomplete)])
        ),
        Story(
            "Renewal goes on after Apple had switched it off, of which nothing was heard",
            {
                $0.buy()
                $0.to(9)
                $0.notify("CONSUMPTION_REQUEST")
                $0.losing { $0.cancel() }
                $0.to(15)
                $0.resume()
            },
            .on(10, [.cancellations: 0]),
            .on(16, [.autoRenew: true, .cancellations: .missing(.eventsIncomplete)])
        ),
        Story(
            "A notice that renewal is on comes with each purchase",
            {
                $0.buy()
                $0.now += 2_000
                $0.resume()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(30.02)
                $0.buy()
                $0.now += 2_000
                $0.resume()
            },
            .on(1, [.autoRenew: true, .cancellations: 0]),
            .on(31, [.autoRenew: true, .cancellations: 1, .lastCancelAt: .day(20), .returns: 1])
        ),
        Story(
            "A notice that renewal is on comes before that of the first purchase",
            {
                $0.losing { $0.buy() }
                $0.resume()
                $0.now += 2_000
                $0.notify("SUBSCRIBED", "INITIAL_BUY")
            },
            .on(1, [.autoRenew: true, .cancellations: 0, .lastCancelAt: .missing(.neverHappened)])
        ),
        Story(
            "An offer switches renewal on, and the notice of that comes seconds later",
            {
                $0.buy()
                $0.to(10)
                $0.cancel()
                $0.to(12)
                $0.redeem(.retention())
                $0.now += 5_000
                $0.resume()
            },
            .on(11, [.autoRenew: false, .cancellations: 1]),
            .on(13, [.autoRenew: true, .cancellations: 1, .lastCancelAt: .day(10), .offersAccepted: 1])
        ),
        Story(
            "A notice that renewal is on comes twice",
            {
                $0.buy()
                $0.to(10)
                $0.cancel()
                $0.to(11)
                $0.resume()
                $0.to(11.1)
                $0.resume()
            },
            .on(12, [.autoRenew: true, .cancellations: 1, .lastCancelAt: .day(10)])
        ),
        Story(
            "Renewal goes off twice, and nothing has said that it was on between",
            {
                $0.buy()
                $0.to(5)
                $0.cancel()
                $0.to(8)
                $0.losing { $0.resume() }
                $0.to(15)
                $0.cancel()
            },
            .on(9, [.autoRenew: false, .cancellations: 1, .autoRenewOffAt: .day(5)]),
            .on(
                16,
                [.autoRenew: false, .cancellations: 2, .lastCancelAt: .day(15), .autoRenewOffAt: .day(15)])
        ),
        Story(
            "Apple switches renewal off after a request for a refund, when the customer had done so",
            {
                $0.buy()
                $0.to(5)
                $0.cancel()
                $0.to(15)
                $0.notify("CONSUMPTION_REQUEST")
                $0.to(15.5)
                $0.cancel()
            },
            .on(16, [.cancellations: 1, .lastCancelAt: .day(5), .autoRenewOffAt: .day(5)])
        ),
        Story(
            "Renewal is shown off, and goes off days later",
            {
                $0.buy()
                $0.to(10)
                $0.losing { $0.cancel() }
                $0.to(12)
                $0.raisePrice(12_990, isAccepted: false)
                $0.to(14)
                $0.losing { $0.resume() }
                $0.to(20)
                $0.cancel()
            },
            .on(13, [.autoRenew: false, .autoRenewOffAt: .missing(.eventsIncomplete)]),
            .on(
                21,
                [.autoRenew: false, .autoRenewOffAt: .day(20), .cancellations: .missing(.eventsIncomplete)])
        ),
        Story(
            "Only the notice of the end says that the customer had cancelled, and has no renewal info",
            {
                $0.buy()
                $0.to(10)
                $0.losing { $0.cancel() }
                $0.hasRenewal = false
                $0.expire()
            },
            .on(11, [.autoRenew: true, .cancellations: 0]),
            .on(
                31,
                [
                    .status: "expired", .autoRenew: false, .autoRenewOffAt: .missing(.eventsIncomplete),
                    .cancellations: .missing(.eventsIncomplete),
                    .lastCancelAt: .missing(.eventsIncomplete), .paidPeriods: 1,
                ]
            )
        ),
        Story(
            "Apple never collected the price, and the notice of the end has no renewal info",
            {
                $0.buy()
                $0.failToRenew()
                $0.to(90)
                $0.hasRenewal = false
                $0.expire("BILLING_RETRY")
            },
            .on(89, [.status: "billingRetry", .autoRenew: true, .cancellations: 0]),
            .on(91, [.status: "expired", .autoRenew: false, .cancellations: 0, .paidPeriods: 1])
        ),
        Story(
            "A purchase and a cancellation have the same time",
            {
                $0.buy()
                $0.cancel()
                $0.expire()
            },
            .on(
                1,
                [
                    .autoRenew: false, .autoRenewOffAt: .day(0), .cancellations: 1, .lastCancelAt: .day(0),
                    .paidPeriods: 1, .status: "active",
                ]
            ),
            .on(
                31, [.status: "expired", .cancellations: 1, .autoRenewOffAt: .day(0), .historyComplete: true])
        ),
        Story(
            "A return and a cancellation have the same time",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(30.02)
                $0.buy()
                $0.cancel()
            },
            .on(30.01, [.cancellations: 1, .status: "expired"]),
            .on(
                31,
                [
                    .autoRenew: false, .autoRenewOffAt: .day(30.02), .cancellations: 2,
                    .lastCancelAt: .day(30.02), .returns: 1,
                ]
            )
        ),
    ]
}
