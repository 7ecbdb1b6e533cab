internal import AppStoreTraffic
internal import JSON

/// A notification of the simulator's history.
struct SimulatedNotification: Sendable, Hashable {
    /// One attempt to send it.
    struct Attempt: Sendable, Hashable {
        let milliseconds: Int64
        let result: SendAttemptResult
    }

    /// `notificationUUID`.
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
    /// What came back at the last attempt, for people: a status with the beginning of the body, or an error. Not in the
    /// state file.
    var lastAnswer: String?

    /// True once the server has answered an attempt with success.
    var isDelivered: Bool { attempts.last?.result == .success }

    /// The member of Get Notification History, and the answer of Get Test Notification Status.
    var item: JSONNode {
        .object([("signedPayload", .string(jws)), ("sendAttempts", .array(attempts.map(\.node)))])
    }

    /// Everything but the JWS, for people.
    var summary: [(String, JSONNode)] {
        [
            ("uuid", .string(uuid)), ("type", .string(type)),
            ("subtype", subtype.map { .string($0) } ?? .null),
            ("transactionIds", .array(transactionIds.map { .string($0) })),
            ("testToken", testToken.map { .string($0) } ?? .null),
            ("attempts", .array(attempts.map(\.node))),
            ("nextMilliseconds", nextMilliseconds.map { .integer($0) } ?? .null),
        ]
    }

    /// Everything, for the state file.
    var node: JSONNode { .object(summary + [("jws", .string(jws))]) }
}

extension SimulatedNotification.Attempt {
    fileprivate var node: JSONNode {
        .object([("attemptDate", .integer(milliseconds)), ("sendAttemptResult", .string(result.rawValue))])
    }

    fileprivate init?(_ value: JSONValue) {
        guard let time = value.member("attemptDate")?.int64, time >= 0,
            let result = value.member("sendAttemptResult")?.string.flatMap(SendAttemptResult.init)
        else { return nil }
        self.init(milliseconds: time, result: result)
    }
}

extension SimulatedNotification {
    /// Reads what ``node`` gives.
    init?(_ value: JSONValue) {
        guard let uuid = value.member("uuid")?.string, let type = value.member("type")?.string,
            let ids = value.member("transactionIds"), ids.kind == .array,
            let attempts = value.member("attempts"), attempts.kind == .array,
            let jws = value.member("jws")?.string
        else { return nil }
        self.init(
            uuid: uuid, type: type, subtype: value.member("subtype")?.string,
            transactionIds: ids.elements.compactMap(\.string), jws: jws,
            testToken: value.member("testToken")?.string,
            attempts: attempts.elements.compactMap(Attempt.init),
            nextMilliseconds: value.member("nextMilliseconds")?.int64)
        let isWhole = transactionIds.count == ids.count && self.attempts.count == attempts.count
        guard isWhole, nextMilliseconds ?? 0 >= 0 else { return nil }
    }
}
