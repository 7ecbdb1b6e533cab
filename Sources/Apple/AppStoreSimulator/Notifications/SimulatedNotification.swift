internal import JSON

/// A notification of the simulator's history.
struct SimulatedNotification: Sendable, Hashable, Codable {
    /// One attempt to send it.
    struct Attempt: Sendable, Hashable, Codable {
        let milliseconds: Int64
        let result: SendAttemptResult
    }

    let uuid: String
    let type: String
    let subtype: String?
    /// The identifiers of the transaction that the notification is about: its own, the original one, the app's.
    let transactionIds: [String]
    /// The JWS. Each attempt sends the same.
    let jws: String
    /// `testNotificationToken`; nil when nobody requested the notification as a test.
    let testToken: String?
    var attempts: [Attempt] = []
    /// The time of the next attempt, milliseconds since 1970; nil when none follows.
    var nextMilliseconds: Int64?
    /// What came back at the last attempt, for people: a status with the beginning of the body, or an error.
    var lastAnswer: String?

    /// True once the server has answered an attempt with success.
    var isDelivered: Bool { attempts.last?.result == .success }

    /// The member of Get Notification History, and the answer of Get Test Notification Status.
    var item: JSONNode {
        .object([("signedPayload", .string(jws)), ("sendAttempts", .array(attempts.map(\.node)))])
    }
}

extension SimulatedNotification.Attempt {
    fileprivate var node: JSONNode {
        .object([("attemptDate", .integer(milliseconds)), ("sendAttemptResult", .string(result.rawValue))])
    }
}
