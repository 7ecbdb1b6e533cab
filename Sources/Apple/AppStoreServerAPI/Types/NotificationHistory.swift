internal import JSON

/// The body of Get Notification History.
///
/// Source: Apple, NotificationHistoryRequest. Apple takes either a type or a transaction identifier. A subtype needs its
/// type.
public struct NotificationHistoryRequest: Sendable, Hashable {
    /// The start of the range, milliseconds since 1970: at most 180 days ago in Production, 30 days in Sandbox.
    public var startDate: Int64
    /// The end of the range, milliseconds since 1970. Apple takes a time in the future as the present.
    public var endDate: Int64
    /// `notificationType` of the wanted notifications; nil for all.
    public var notificationType: String?
    /// `subtype` of the wanted notifications; nil for all.
    public var notificationSubtype: String?
    /// The identifier of a transaction that the wanted notifications are about; nil for all.
    public var transactionId: String?
    /// True for the notifications that have not been delivered yet; nil and false for all.
    public var onlyFailures: Bool?

    /// Asks for all notifications of a range of time.
    public init(startDate: Int64, endDate: Int64) {
        self.startDate = startDate
        self.endDate = endDate
    }

    /// The body as JSON text, with the members in the order of Apple's libraries.
    var json: [UInt8] {
        var members: [(String, JSONNode)] = [
            ("startDate", .integer(startDate)), ("endDate", .integer(endDate)),
        ]
        if let notificationType { members.append(("notificationType", .string(notificationType))) }
        if let notificationSubtype { members.append(("notificationSubtype", .string(notificationSubtype))) }
        if let transactionId { members.append(("transactionId", .string(transactionId))) }
        if let onlyFailures { members.append(("onlyFailures", .boolean(onlyFailures))) }
        return JSONNode.object(members).serialized()
    }
}

/// One page of Get Notification History.
///
/// Source: Apple, NotificationHistoryResponse.
public struct NotificationHistoryResponse: Sendable, Hashable {
    /// The token with which the next page is asked for; nil when no page follows.
    public let paginationToken: String?
    /// The notifications of the page, in Apple's order, which Apple does not document.
    public let notifications: [SentNotification]

    public init(paginationToken: String?, notifications: [SentNotification]) {
        self.paginationToken = paginationToken
        self.notifications = notifications
    }
}

/// A notification that Apple has sent, or has tried to send.
///
/// Source: Apple, notificationHistoryResponseItem and CheckTestNotificationResponse.
public struct SentNotification: Sendable, Hashable {
    /// The JWS as Apple sent it.
    public let signedPayload: String
    /// The attempts to send it, at most six in Production.
    public let sendAttempts: [SendAttempt]

    public init(signedPayload: String, sendAttempts: [SendAttempt]) {
        self.signedPayload = signedPayload
        self.sendAttempts = sendAttempts
    }

    public struct SendAttempt: Sendable, Hashable {
        /// The time of the attempt, milliseconds since 1970; nil when Apple's server did not give a usable one.
        public let attemptDate: Int64?
        /// Apple's word for its result, such as `SUCCESS` or `TIMED_OUT`; nil when Apple's server did not give a usable one.
        public let sendAttemptResult: String?

        public init(attemptDate: Int64?, sendAttemptResult: String?) {
            self.attemptDate = attemptDate
            self.sendAttemptResult = sendAttemptResult
        }
    }
}
