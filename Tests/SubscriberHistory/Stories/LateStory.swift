import NotificationStore
import SubscriberHistory
import Testing

/// The life of a subscriber of which some payloads arrive late: what must be known before, and what afterwards.
struct LateStory: Sendable, CustomTestStringConvertible {
    let name: String
    let life: @Sendable (inout Life) -> Void
    /// The days whose payloads arrive late.
    let late: ClosedRange<Double>
    /// The day of both checks.
    let day: Double
    let before: [SubscriberFact: Expected]
    let after: [SubscriberFact: Expected]

    var testDescription: String { name }

    /// The payloads in time, and the late ones.
    var payloads: (inTime: SubscriberPayloads, late: SubscriberPayloads) {
        var life = Life()
        self.life(&life)
        let range = Life.time(late.lowerBound)...Life.time(late.upperBound)
        return (
            life.payloads.filtered { !range.contains($0) }, life.payloads.filtered { range.contains($0) }
        )
    }

    /// The customer switches renewal off on day 10, and on again on day 11.
    private static let changedBack: @Sendable (inout Life) -> Void = {
        $0.buy()
        $0.to(10)
        $0.cancel()
        $0.to(11)
        $0.resume()
    }
    private static let changedBackFacts: [SubscriberFact: Expected] = [
        .autoRenew: true, .autoRenewOffAt: .missing(.neverHappened), .cancellations: 1,
        .lastCancelAt: .day(10),
    ]

    static let all: [LateStory] = [
        LateStory(
            name: "The notice of a refund",
            life: {
                $0.buy()
                $0.to(10)
                $0.refund()
            },
            late: 10...10,
            day: 12,
            before: [
                .refunds: 0, .lastRefundAt: .missing(.neverHappened), .paidPeriods: 1, .status: "active",
            ],
            after: [.refunds: 1, .lastRefundAt: .day(10), .paidPeriods: 0, .status: "revoked"]
        ),
        LateStory(
            name: "The notice of a cancellation, behind that of the end",
            life: {
                $0.buy()
                $0.to(10)
                $0.cancel()
                $0.expire()
            },
            late: 10...10,
            day: 31,
            before: [
                .status: "expired", .autoRenew: false, .autoRenewOffAt: .missing(.eventsIncomplete),
                .cancellations: .missing(.eventsIncomplete),
                .lastCancelAt: .missing(.eventsIncomplete), .paidPeriods: 1,
            ],
            after: [
                .status: "expired", .autoRenew: false, .autoRenewOffAt: .day(10), .cancellations: 1,
                .lastCancelAt: .day(10), .paidPeriods: 1,
            ]
        ),
        LateStory(
            name: "A switch off, behind the switch on",
            life: changedBack,
            late: 10...10,
            day: 12,
            before: [
                .autoRenew: true, .autoRenewOffAt: .missing(.neverHappened),
                .cancellations: .missing(.eventsIncomplete), .lastCancelAt: .missing(.eventsIncomplete),
            ],
            after: changedBackFacts
        ),
        LateStory(
            name: "A switch on, behind the switch off", life: changedBack, late: 11...11, day: 12,
            before: [.autoRenew: false, .autoRenewOffAt: .day(10), .cancellations: 1], after: changedBackFacts
        ),
        LateStory(
            name: "A renewal, behind the next one",
            life: {
                $0.buy()
                $0.renew(2)
            },
            late: 30...30,
            day: 61,
            before: [
                .historyComplete: false, .paidPeriods: .missing(.historyIncomplete),
                .returns: .missing(.historyIncomplete), .expiresAt: .day(90), .status: "active",
            ],
            after: [
                .historyComplete: true, .paidPeriods: 3, .returns: 0, .expiresAt: .day(90),
                .status: "active",
            ]
        ),
        LateStory(
            name: "The newest renewal",
            life: {
                $0.buy()
                $0.renew()
            },
            late: 30...30,
            day: 31,
            before: [
                .status: .missing(.ended), .paidPeriods: .missing(.ended), .expiresAt: .day(30),
                .historyComplete: true,
            ],
            after: [.status: "active", .paidPeriods: 2, .expiresAt: .day(60), .historyComplete: true]
        ),
        LateStory(
            name: "The first purchase, behind a renewal",
            life: {
                $0.buy(.monthly, .trial)
                $0.renew()
            },
            late: 0...0,
            day: 8,
            before: [
                .firstPurchaseAt: .day(0), .historyComplete: false,
                .paidPeriods: .missing(.historyIncomplete), .cancellations: .missing(.eventsIncomplete),
                .inTrial: false,
            ],
            after: [
                .firstPurchaseAt: .day(0), .historyComplete: true, .paidPeriods: 1, .cancellations: 0,
                .inTrial: false,
            ]
        ),
        LateStory(
            name: "The acceptance of an offer, behind the period with it",
            life: {
                $0.buy()
                $0.to(20)
                $0.redeem(.retention())
                $0.renew()
            },
            late: 20...20,
            day: 31,
            before: [.offersAccepted: 1, .lastOfferAt: .day(30), .inRetentionOffer: true],
            after: [
                .offersAccepted: 1, .retentionOffersAccepted: 1, .lastOfferAt: .day(20),
                .inRetentionOffer: true,
            ]
        ),
        LateStory(
            name: "The end, and what came before it",
            life: {
                $0.buy()
                $0.to(20)
                $0.cancel()
                $0.expire()
            },
            late: 20...30,
            day: 31,
            before: [.status: .missing(.ended), .autoRenew: true, .cancellations: .missing(.ended)],
            after: [.status: "expired", .autoRenew: false, .cancellations: 1, .lastCancelAt: .day(20)]
        ),
        LateStory(
            name: "An upgrade, behind the renewal of its product",
            life: {
                $0.buy()
                $0.to(10)
                $0.upgrade(.premium)
                $0.renew()
            },
            late: 10...10,
            day: 41,
            before: [
                .currentProductId: "premium", .paidPeriods: .missing(.historyIncomplete),
                .historyComplete: false,
            ],
            after: [.currentProductId: "premium", .paidPeriods: 2, .historyComplete: true]
        ),
    ]
}

extension SubscriberPayloads {
    /// Returns the payloads of some times.
    fileprivate func filtered(_ isKept: (Int64) -> Bool) -> Self {
        var result = self
        result.transactions = transactions.filter { isKept($0.signedAt) }
        result.renewals = renewals.filter { isKept($0.signedAt) }
        result.notifications = notifications.filter { isKept($0.signedAt) }
        return result
    }
}
