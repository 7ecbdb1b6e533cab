/// Counts of periods and events, and identifiers.
extension FactDefinition {
    private static let refundReasons: Set<MissingReason> = .ofPresent.union([.eventsIncomplete, .noValue])
    private static let cancellationReasons: Set<MissingReason> = .ofPresent.union([.eventsIncomplete])
    /// When a fact is missing that a refund changes.
    private static let unnamedRefund =
        " Also missing after a notification of a refund whose transaction did not pass its check, until "
        + "`subscriptions sync` brings all transactions: nothing says which one was refunded."
    /// What Apple's history does not show.
    private static let refundOfSeats =
        " No transaction shows when seats were refunded: Apple's history is not enough where a period has more than one "
        + "seat, and does not bring back a refund of seats whose transaction did not pass its check."
    /// When a fact about refunds is missing.
    private static let noRefunds =
        noLife + " Also missing unless the store has the notifications of the first purchase and of every "
        + "period since, or Apple's server gave the history, or `notifications recover` has read that time. "
        + assumption + unnamedRefund + refundOfSeats
    /// When a fact about cancellations is missing.
    private static let noCancellations =
        "Missing unless the store has the notifications of the first purchase and of every period since, or "
        + "`notifications recover` has read that time: a transaction does not show a cancellation. Also missing when "
        + "a payload shows that renewal was off and no notification says since when: a renewal info, the notice of "
        + "the end of a subscription that the customer cancelled, or the notice that renewal was switched on. Also "
        + "missing when a notification without subtype tells of a switch and its renewal info did not pass its check. "
        + assumption
    /// What a count of events takes for granted.
    static let assumption =
        "A known value assumes that no notification between two periods was lost for good, because nothing "
        + "shows that loss: Apple repeats each for 157 hours, and `notifications recover` brings back those "
        + "of the last 180 days."

    private static let membersOfPayment =
        "price purchaseDate expiresDate isUpgraded inAppOwnershipType quantity additionalTransactionReason "
        + "webOrderLineItemId productId revocationDate revocationType revocationPercentage "
        + "revokedSeatQuantity"
    /// When a fact about paid periods is missing.
    private static let noPayment =
        noLife + " Also missing when a period of the customer's own has no price, or was refunded and had "
        + "added seats whose purchase is unknown. " + assumption
        + unnamedRefund

    static let ofEvents: [FactDefinition] = [
        FactDefinition(
            .paidPeriods,
            unit: "periods",
            "How many periods the customer paid and did not get back in full. A refund that names neither a type nor "
                + "a share is one in full. One of several purchases of a period, or of some of its seats, leaves the "
                + "period paid. A free trial does not count, "
                + "an upgrade goes on with the paid period in which it began, and a plan with a monthly "
                + "commitment counts each month. A second upgrade after the end of that period is a period "
                + "of its own. Periods that a family member or an organization paid never "
                + "count.",
            transaction: membersOfPayment,
            notification: "notificationType",
            missing: .ofPresent.union([.noPrice, .noValue, .seatsChanged]),
            noPayment,
            example: "A free week and then six months of 9.99 euros, one of which Apple refunded: `5`."
        ),
        FactDefinition(
            .paidMonths,
            unit: "months",
            "How many whole months the periods of `paidPeriods` last together, from `purchaseDate` to `expiresDate`: "
                + "12 for a year that was paid at once and for twelve months. A period that the customer left by an "
                + "upgrade lasts until the upgrade, and an extension that Apple gave does not count. A period within "
                + "three days of a number of months is that many months; the days of others, such as weeks, are summed "
                + "up, and 30.4 of them are a month.",
            transaction: membersOfPayment,
            notification: "notificationType",
            missing: .ofPresent.union([.noPrice, .noValue, .seatsChanged]),
            noPayment
                + " Missing as well when every paid period is shorter than a day: in Apple's Sandbox a month "
                + "lasts minutes, and nothing says how many months a period stands for.",
            example: "A year that was paid at once, and then two months: `14`."
        ),
        FactDefinition(
            .returns,
            unit: "returns",
            "How often the customer left and came back: bought again after the subscription had ended or was "
                + "refunded. A customer who switches renewal off and on again before the end of the period "
                + "never left. A price that Apple collects late and a purchase in the grace period are no returns.",
            transaction: "purchaseDate expiresDate transactionReason isUpgraded inAppOwnershipType "
                + "revocationDate",
            renewal: "gracePeriodExpiresDate",
            notification: "notificationType",
            missing: .ofPresent.union([.noValue]),
            noLife
                + " A return leaves a gap between two periods. Run `subscriptions sync` for such a subscriber, or "
                + "let `notifications recover` read the time from the first purchase to the return. "
                + assumption
                + unnamedRefund,
            example: "A subscription ended in May, and the customer bought it again in July: `1`."
        ),
        FactDefinition(
            .refunds,
            unit: "transactions",
            "How many transactions Apple refunded, in full or in part, without those whose refund was "
                + "reversed. Access that a family or an organization took back is no refund.",
            transaction: "transactionId revocationDate revocationType inAppOwnershipType",
            notification: "notificationType subtype",
            missing: refundReasons,
            noRefunds,
            example: "Apple gave back the price of one month: `1`."
        ),
        FactDefinition(
            .lastRefundAt, "When Apple gave money back last.",
            transaction: "transactionId revocationDate revocationType inAppOwnershipType",
            notification: "notificationType subtype signedDate",
            missing: refundReasons.union([.neverHappened]),
            noRefunds + " Missing as well when there was no refund.",
            example: "Apple gave back the price of one month on 8 April: `2026-04-08T12:00:00Z`."),
        FactDefinition(
            .cancellations,
            unit: "cancellations",
            "How often the customer switched renewal off. A switch within 48 hours of a refund, or of a request "
                + "for one, is Apple's and does not count. Notices of the same switch that are less than three "
                + "hours apart are about one.",
            renewal: "autoRenewStatus expirationIntent",
            notification: "notificationType subtype signedDate",
            missing: cancellationReasons,
            noCancellations,
            example: "A customer cancelled in May, came back in June and cancelled again: `2`."
        ),
        FactDefinition(
            .lastCancelAt, "When the customer switched renewal off last.",
            renewal: "autoRenewStatus expirationIntent", notification: "notificationType subtype signedDate",
            missing: cancellationReasons.union([.neverHappened]),
            noCancellations + " Missing as well when the customer never cancelled.",
            example: "A customer cancelled on 3 May and came back on 9 June: `2026-05-03T10:15:00Z`."),
    ]

    static let ofIdentity: [FactDefinition] = [
        FactDefinition(
            .advancedCommerceSku,
            "The SKU of the Advanced Commerce API, where the subscription has exactly one item.",
            transaction: "advancedCommerceInfo", missing: .ofTransaction, noTransaction,
            example: "A subscription to one course: `course_spanish`."),
        FactDefinition(
            .appAccountToken,
            "The app's own identifier of the customer, which the app gave to Apple at the purchase. It "
                + "joins your own data, and `unit` of a rollout may name it to treat all devices and plans "
                + "of an account alike. An empty token and one of zeros, which some libraries write, are none.",
            transaction: "appAccountToken",
            missing: .ofTransaction,
            noTransaction,
            example: "`7e3fb20b-4cdb-47cc-936d-99d65f608138`."
        ),
    ]
}
