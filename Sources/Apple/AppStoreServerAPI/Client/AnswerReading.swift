internal import JSON
internal import System

/// Reads the bodies of Apple's answers.
enum AnswerReading {
    static func messages(_ root: AnswerValue) throws(MalformedAnswer) -> [ListedMessage] {
        var messages: [ListedMessage] = []
        for item in try root.objects("messageIdentifiers") {
            messages.append(
                ListedMessage(
                    messageIdentifier: try item.uuid("messageIdentifier"),
                    messageState: ReviewState(rawValue: try item.word("messageState")))
            )
        }
        return messages
    }

    static func images(_ root: AnswerValue) throws(MalformedAnswer) -> [ListedImage] {
        var images: [ListedImage] = []
        for item in try root.objects("imageIdentifiers") {
            images.append(
                ListedImage(
                    imageIdentifier: try item.uuid("imageIdentifier"),
                    imageState: ReviewState(rawValue: try item.word("imageState")),
                    imageSize: try item.optionalWord("imageSize"))
            )
        }
        return images
    }

    static func defaultMessage(_ root: AnswerValue) throws(MalformedAnswer) -> UUID {
        try root.uuid("messageIdentifier")
    }

    static func realtimeURL(_ root: AnswerValue) throws(MalformedAnswer) -> String {
        try root.string("realtimeURL")
    }

    /// Reads the error object of a refusal. Every part of it may be missing or wrong: the status says enough.
    static func refusal(status: Int, body: [UInt8]) -> AppleRefusal {
        guard let root = try? AnswerValue.root(of: body) else {
            return AppleRefusal(status: status)
        }
        return AppleRefusal(
            status: status, errorCode: try? root.integer("errorCode"),
            errorMessage: try? root.string("errorMessage"))
    }

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
        var last: [SubscriptionStatusesResponse.LastTransaction] = []
        for group in try root.objects("data") {
            for item in try group.objects("lastTransactions") {
                last.append(
                    .init(
                        signedTransactionInfo: try item.string("signedTransactionInfo"),
                        signedRenewalInfo: try item.string("signedRenewalInfo"))
                )
            }
        }
        return SubscriptionStatusesResponse(
            environment: try root.word("environment"), bundleId: try root.token("bundleId"),
            lastTransactions: last)
    }

    static func transactionHistory(
        _ root: AnswerValue
    ) throws(MalformedAnswer) -> TransactionHistoryResponse {
        let hasMore = try root.boolean("hasMore")
        return TransactionHistoryResponse(
            revision: hasMore ? try root.token("revision") : try root.optionalToken("revision"),
            hasMore: hasMore, environment: try root.word("environment"), bundleId: try root.token("bundleId"),
            signedTransactions: try root.strings("signedTransactions"))
    }
}
