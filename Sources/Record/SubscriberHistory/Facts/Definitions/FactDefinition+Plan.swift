/// The plan, its state and its times.
extension FactDefinition {
    static let ofPlan: [FactDefinition] = [
        FactDefinition(
            .currentProductId,
            "The product of the running period, or of the last period when the subscription has ended. A "
                + "request names the product too, as `productId`.",
            transaction: "productId purchaseDate",
            missing: .ofTransaction,
            noTransaction,
            example: "A subscriber pays for the monthly plan: `pro_monthly`."
        ),
        FactDefinition(
            .renewalProductId,
            "The product to which the subscription renews. It differs from `currentProductId` after the "
                + "subscriber chose a downgrade, which begins at the renewal.",
            renewal: "autoRenewProductId",
            missing: .ofRenewal,
            noRenewal,
            example:
                "A subscriber of the annual plan chose the monthly one for the time after: `pro_monthly`."
        ),
        FactDefinition(
            .subscriptionGroup,
            "Apple's identifier of the subscription group in which the running period's product is.",
            transaction: "subscriptionGroupIdentifier", missing: .ofTransaction, noTransaction,
            example: "All plans of the app are in one group: `21429876`."),
        FactDefinition(
            .status,
            "The state of the subscription: `active`, `expired`, `billingRetry` (Apple tries to collect the "
                + "price, without access), `gracePeriod` (the same, with access) or `revoked` (Apple took "
                + "the purchase back).",
            transaction: "revocationDate expiresDate",
            renewal: "isInBillingRetryPeriod gracePeriodExpiresDate expirationIntent",
            notification: "status",
            missing: [.noTransaction, .noStatus, .unfitValue, .unknownValue, .ended],
            "Missing when no payload shows the state, and from the end of the last known period on: the "
                + "subscription may have renewed or ended.",
            example: "The credit card was refused yesterday and the app grants a grace period: `gracePeriod`."
        ),
        FactDefinition(
            .autoRenew,
            "True when the subscription renews at the end of the period; false after the subscriber "
                + "cancelled.",
            renewal: "autoRenewStatus",
            notification: "notificationType subtype",
            missing: [.noRenewalInfo, .noValue, .unfitValue, .unknownValue],
            noRenewal,
            example: "A subscriber switched renewal off in the settings of the phone: `false`."
        ),
        FactDefinition(
            .familyShared, "True when a member of the family pays, so that this subscriber pays nothing.",
            transaction: "inAppOwnershipType", missing: .ofTransaction, noTransaction,
            example: "A parent shares the plan with this subscriber: `true`."),
        FactDefinition(
            .historyComplete,
            "True when the whole life of the subscription is known: Apple's server gave the history (also that of "
                + "the old identifier, if the subscription moved to the Advanced Commerce API), "
                + "`notifications recover` has read every notification from the first purchase to the last gap, "
                + "or the known periods follow each other without a gap from the first purchase on. `recover` does "
                + "not help where a payload shows that a period is missing, such as a renewal of an unknown one.",
            transaction: "originalPurchaseDate purchaseDate expiresDate previousOriginalTransactionId",
            missing: [],
            "Never missing for a subscriber of the store; missing for one whom only your own table has "
                + "(`facts build --merge`). While it is false, the counts over the whole life are missing.",
            example: "The recorder was installed in the second year of a subscription, and nobody ran "
                + "`subscriptions sync`: `false`."
        ),
    ]

    static let ofTimes: [FactDefinition] = [
        FactDefinition(
            .autoRenewOffAt,
            "When renewal was switched off, while it is off.",
            renewal: "autoRenewStatus",
            notification: "notificationType subtype signedDate",
            missing: [
                .noRenewalInfo, .noValue, .unfitValue, .unknownValue, .eventsIncomplete, .neverHappened,
            ],
            "Missing while renewal is on, when its state is unknown, and when renewal is off but the store "
                + "lacks the notification of the switch: only that one has the time.",
            example: "A subscriber cancelled on 3 May and has not come back: `2026-05-03T10:15:00Z`."
        ),
        FactDefinition(
            .firstPurchaseAt,
            "The first purchase of the subscription, also when lapses followed.",
            transaction: "originalPurchaseDate previousOriginalTransactionId",
            missing: .ofTransaction,
            "Missing without a transaction of the running period, and when the subscription moved to the "
                + "Advanced Commerce API and the store lacks what came before: the new transactions begin "
                + "at the move.",
            example: "A subscriber bought in 2024, left, and came back this year: `2024-02-11T09:30:00Z`."
        ),
        FactDefinition(
            .subscribedAt, "The start of the latest time of service. Apple ignores lapses of up to 60 days.",
            renewal: "recentSubscriptionStartDate", missing: .ofRenewal, noRenewal,
            example: "A subscriber left for a year and came back on 1 March: `2026-03-01T08:00:00Z`."),
        FactDefinition(
            .expiresAt,
            "The end of the running period, or of the last one.",
            transaction: "expiresDate",
            missing: [.noTransaction, .historyIncomplete],
            "Missing when the store has no transaction of the running period, of which only another payload tells: an "
                + "older period ended earlier.",
            example: "A month was paid on 1 March: `2026-04-01T08:00:00Z`."
        ),
        FactDefinition(
            .renewsAt,
            "When the latest purchase ends, which is when Apple renews the subscription if renewal is on.",
            renewal: "renewalDate", missing: .ofRenewal, noRenewal,
            example: "A month was paid on 1 March: `2026-04-01T08:00:00Z`."),
    ]
}
