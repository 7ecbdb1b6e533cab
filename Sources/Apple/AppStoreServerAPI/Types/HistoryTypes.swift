internal import JSON

/// The body of Get Notification History.
///
/// Source: Apple, NotificationHistoryRequest.
package struct NotificationHistoryRequest: Sendable, Hashable {
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

    /// The body as JSON text, with the members in the order of Apple's libraries.
    var json: [UInt8] {
        var members: [(String, JSONNode)] = [
            ("startDate", .integer(startDate)), ("endDate", .integer(endDate)),
        ]
        if let onlyFailures { members.append(("onlyFailures", .boolean(onlyFailures))) }
        return JSONNode.object(members).serialized()
    }
}

/// One page of Get Notification History.
///
/// Source: Apple, NotificationHistoryResponse.
package struct NotificationHistoryResponse: Sendable, Hashable {
    /// The token with which the next page is asked for; nil when no page follows.
    package let paginationToken: String?
    /// The notifications of the page, in Apple's order, which Apple does not document.
    package let notifications: [SentNotification]
}

/// A notification that Apple has sent, or has tried to send.
///
/// Source: Apple, notificationHistoryResponseItem and CheckTestNotificationResponse.
package struct SentNotification: Sendable, Hashable {
    package let signedPayload: String
    /// The attempts to send it, at most six in Production.
    package let sendAttempts: [SendAttempt]

    package struct SendAttempt: Sendable, Hashable {
        /// The time of the attempt, milliseconds since 1970; nil when Apple's server did not give a usable one.
        package let attemptDate: Int64?
        /// Apple's word for its result, such as `SUCCESS` or `TIMED_OUT`; nil when Apple's server did not give a usable one.
        package let sendAttemptResult: String?
    }
}

/// One page of Get Transaction History.
///
/// Source: Apple, HistoryResponse.
package struct TransactionHistoryResponse: Sendable, Hashable {
    /// The revision with which the next page is asked for; nil when Apple sent none.
    package let revision: String?
    package let hasMore: Bool
    /// `Production` or `Sandbox`, as Apple spells it.
    package let environment: String
    package let bundleId: String
    package let signedTransactions: [String]
}

/// The answer of Get All Subscription Statuses.
///
/// Source: Apple, StatusResponse.
package struct SubscriptionStatusesResponse: Sendable, Hashable {
    /// `Production` or `Sandbox`, as Apple spells it.
    package let environment: String
    package let bundleId: String
    package let lastTransactions: [LastTransaction]

    /// Source: Apple, LastTransactionsItem.
    package struct LastTransaction: Sendable, Hashable {
        package let signedTransactionInfo: String
        package let signedRenewalInfo: String
    }
}
