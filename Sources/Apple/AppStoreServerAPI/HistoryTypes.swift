/// Source: Apple, NotificationHistoryRequest.
package struct NotificationHistoryRequest: Sendable, Hashable, Codable {
    /// The start of the range, milliseconds since 1970: at most 180 days ago in Production, 30 days in Sandbox.
    package var startDate: Int64
    /// The end of the range, milliseconds since 1970. Apple takes a time in the future as the present.
    package var endDate: Int64
    /// True for the notifications that have not been delivered yet; nil and false for all.
    package var onlyFailures: Bool?

    package init(startDate: Int64, endDate: Int64) {
        self.startDate = startDate
        self.endDate = endDate
    }
}

/// Source: Apple, NotificationHistoryResponse.
package struct NotificationHistoryResponse: Sendable, Hashable, Codable {
    package let paginationToken: String?
    /// The notifications of the page, in Apple's order, which Apple does not document.
    package let notifications: [SentNotification]

    private enum CodingKeys: String, CodingKey {
        case hasMore, paginationToken
        case notifications = "notificationHistory"
    }

    package init(paginationToken: String?, notifications: [SentNotification]) {
        self.paginationToken = paginationToken
        self.notifications = notifications
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        notifications = try values.decode([SentNotification].self, forKey: .notifications)
        // Without a token there would be no way to the next page, and the caller would take the history for whole.
        paginationToken =
            try values.decode(Bool.self, forKey: .hasMore)
            ? try values.decode(String.self, forKey: .paginationToken) : nil
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(notifications, forKey: .notifications)
        try values.encode(paginationToken != nil, forKey: .hasMore)
        try values.encodeIfPresent(paginationToken, forKey: .paginationToken)
    }
}

/// Source: Apple, notificationHistoryResponseItem and CheckTestNotificationResponse.
package struct SentNotification: Sendable, Hashable, Codable {
    package let signedPayload: String
    /// The attempts to send it, at most six in Production.
    package let sendAttempts: [SendAttempt]

    package struct SendAttempt: Sendable, Hashable, Codable {
        package let attemptDate: Int64?
        /// Apple's word for its result, such as `SUCCESS` or `TIMED_OUT`.
        package let sendAttemptResult: String?

        package init(attemptDate: Int64?, sendAttemptResult: String?) {
            self.attemptDate = attemptDate
            self.sendAttemptResult = sendAttemptResult
        }
    }

    package init(signedPayload: String, sendAttempts: [SendAttempt]) {
        self.signedPayload = signedPayload
        self.sendAttempts = sendAttempts
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        signedPayload = try values.decode(String.self, forKey: .signedPayload)
        // Nobody may lose a notification because of what is said about the attempts to send it.
        sendAttempts = (try? values.decode([SendAttempt].self, forKey: .sendAttempts)) ?? []
    }
}

package struct TestNotification: Codable {
    package let testNotificationToken: String

    package init(testNotificationToken: String) { self.testNotificationToken = testNotificationToken }
}

/// Source: Apple, HistoryResponse.
package struct TransactionHistoryResponse: Sendable, Hashable, Codable {
    package let revision: String?
    package let hasMore: Bool
    package let environment: String
    package let bundleId: String
    package let signedTransactions: [String]
}

/// Source: Apple, StatusResponse.
package struct SubscriptionStatusesResponse: Sendable, Hashable, Codable {
    package let environment: String
    package let bundleId: String
    private let data: [Group]

    private struct Group: Sendable, Hashable, Codable {
        let lastTransactions: [LastTransaction]
    }

    /// Source: Apple, LastTransactionsItem.
    package struct LastTransaction: Sendable, Hashable, Codable {
        package let signedTransactionInfo: String
        package let signedRenewalInfo: String
    }

    package var lastTransactions: [LastTransaction] { data.flatMap(\.lastTransactions) }
}
