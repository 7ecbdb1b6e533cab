import NotificationStore
import SubscriberHistory

extension Story {
    /// Customers who come back, and some who never left.
    static let returns: [Story] = [
        Story(
            "Who switches renewal off and on again has not left",
            {
                $0.buy()
                $0.renew(2)
                $0.to(61)
                $0.cancel()
                $0.now += 60_000
                $0.resume()
            },
            .on(62, [.returns: 0, .cancellations: 1, .autoRenew: true, .paidPeriods: 3])
        ),
        Story(
            "Who lets the subscription end and buys it again comes back, each time",
            {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
                $0.to(30.02)
                $0.buy()
                $0.to(40)
                $0.cancel()
                $0.expire()
                $0.to(100)
                $0.buy()
                $0.to(101)
                $0.sync()
                $0.to(102)
                $0.upgrade(.premium)
                $0.renew()
            },
            .on(30.01, [.returns: 0, .cancellations: 1]),
            .on(31, [.returns: 1, .paidPeriods: 2, .cancellations: 1]),
            .on(99, [.returns: 1, .cancellations: 2, .lastCancelAt: .day(40)]),
            .on(101, [.returns: 2]),
            .on(133, [.returns: 2, .cancellations: 2, .paidPeriods: 4])
        ),
        Story(
            "Who gets the money back and buys again comes back before the end of the period",
            {
                $0.buy()
                $0.to(5)
                $0.refund()
                $0.to(9)
                $0.buy()
            },
            .on(10, [.returns: 1, .paidPeriods: 1])
        ),
        Story(
            "Who upgrades in the grace period never lost the service",
            {
                $0.buy()
                $0.failToRenew(graceDays: 16)
                $0.to(36)
                $0.upgrade(.premium)
                $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(100))]
            },
            .on(37, [.returns: 0, .historyComplete: true, .paidPeriods: 2, .status: "active"])
        ),
        Story(
            "Who buys again after the grace period comes back",
            {
                $0.buy()
                $0.failToRenew(graceDays: 16)
                $0.endGrace()
                $0.to(50)
                $0.buy()
                $0.payloads.covered = [TimeRange(from: Life.time(-1), to: Life.time(100))]
            },
            .on(51, [.returns: 1, .historyComplete: true, .paidPeriods: 2])
        ),
        Story(
            "A price that Apple collects late is no return, and a time of which nothing is known may be one",
            {
                $0.buy()
                $0.failToRenew()
                $0.to(40)
                $0.recover()
                $0.losing { $0.renew() }
                $0.renew()
            },
            .on(41, [.returns: 0]),
            .on(101, [.returns: .missing(.historyIncomplete)])
        ),
    ]
}
