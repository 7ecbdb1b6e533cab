internal import JSON

extension AnswerReading {
    static func notificationHistory(
        _ root: AnswerValue
    ) throws(MalformedAnswer) -> NotificationHistoryResponse {
        var notifications: [SentNotification] = []
        for item in try root.objects("notificationHistory") { notifications.append(try sent(item)) }
        // Without a token there would be no way to the next page, and the caller would take the history for whole.
        let token = try root.boolean("hasMore") ? try root.token("paginationToken") : nil
        return NotificationHistoryResponse(paginationToken: token, notifications: notifications)
    }

    static func testNotificationToken(_ root: AnswerValue) throws(MalformedAnswer) -> String {
        try root.token("testNotificationToken")
    }

    static func sent(_ item: AnswerValue) throws(MalformedAnswer) -> SentNotification {
        // Nobody may lose a notification because of what is said about the attempts to send it.
        let attempts = item.elements("sendAttempts").map { attempt in
            SentNotification.SendAttempt(
                attemptDate: attempt.flatMap { try? $0.integer("attemptDate") },
                sendAttemptResult: attempt.flatMap { try? $0.word("sendAttemptResult") }
            )
        }
        return SentNotification(signedPayload: try item.string("signedPayload"), sendAttempts: attempts)
    }

    static func subscriptionStatuses(
        _ root: AnswerValue
    ) throws(MalformedAnswer) -> SubscriptionStatusesResponse {
        var groups: [SubscriptionStatusesResponse.Group] = []
        for group in try root.objects("data") {
            var last: [SubscriptionStatusesResponse.LastTransaction] = []
            for item in try group.objects("lastTransactions") {
                last.append(
                    .init(
                        status: try item.integer("status"),
                        originalTransactionId: try item.word("originalTransactionId"),
                        signedTransactionInfo: try item.string("signedTransactionInfo"),
                        signedRenewalInfo: try item.string("signedRenewalInfo"))
                )
            }
            let name = try group.word("subscriptionGroupIdentifier")
            groups.append(.init(subscriptionGroupIdentifier: name, lastTransactions: last))
        }
        return SubscriptionStatusesResponse(
            environment: try root.word("environment"), bundleId: try root.token("bundleId"),
            appAppleId: try root.optionalInteger("appAppleId"), groups: groups)
    }

    static func transactionHistory(
        _ root: AnswerValue
    ) throws(MalformedAnswer) -> TransactionHistoryResponse {
        let hasMore = try root.boolean("hasMore")
        return TransactionHistoryResponse(
            revision: hasMore ? try root.token("revision") : try root.optionalToken("revision"),
            hasMore: hasMore, environment: try root.word("environment"), bundleId: try root.token("bundleId"),
            appAppleId: try root.optionalInteger("appAppleId"),
            signedTransactions: try root.strings("signedTransactions"))
    }

    static func transactionInfo(_ root: AnswerValue) throws(MalformedAnswer) -> String {
        try root.string("signedTransactionInfo")
    }
}
