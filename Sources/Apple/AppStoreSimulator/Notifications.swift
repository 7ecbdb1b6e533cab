internal import AppStoreServerAPI
internal import Cryptography
package import System

struct NotificationEvent {
    let kind: NotificationKind
    let subscriber: Int64
    let signedDate: Int64?

    init(_ kind: NotificationKind, _ subscriber: Int64, signedDate: Int64?) {
        self.kind = kind
        self.subscriber = subscriber
        self.signedDate = signedDate
    }
}

extension AppStoreSimulator {
    /// Returns the notifications that are to be sent now, at most `count`. The caller sends each and reports the result
    /// with ``finishDelivery(_:result:answer:at:)``.
    package mutating func takeDueNotifications(at now: Int64, count: Int) -> [NotificationDelivery] {
        schedule.takeDue(at: now, count: count).compactMap { key in
            let state = state[key.bundleId][key.environment].notices
            guard let url = state.url, state.notifications.indices.contains(key.index) else { return nil }
            return NotificationDelivery(
                bundleId: key.bundleId, environment: key.environment, index: key.index, url: url,
                body: SignedRequestBuilder.wrap(Array(state.notifications[key.index].jws.utf8)))
        }
    }

    /// The time of the earliest attempt that is still to be made, milliseconds since 1970; nil when there is none.
    package var nextDeliveryMilliseconds: Int64? { schedule.next }

    /// Notes the result of an attempt, and plans the next one after a failure. `answer` has what came back, for people.
    package mutating func finishDelivery(
        _ delivery: NotificationDelivery, result: SendAttemptResult, answer: String? = nil, at now: Int64
    ) {
        let (bundleId, environment, index) = (delivery.bundleId, delivery.environment, delivery.index)
        var notification = state[bundleId][environment].notices.notifications[index]
        notification.attempts.append(.init(milliseconds: now, result: result))
        notification.lastAnswer = answer
        notification.nextMilliseconds = nil
        if result != .success {
            let count = notification.attempts.count
            let delay = RetrySchedule.delay(after: count, in: environment, speed: configuration.speed)
            notification.nextMilliseconds = delay.map { now + $0 }
        }
        state[bundleId][environment].notices.notifications[index] = notification
        guard let time = notification.nextMilliseconds else { return }
        schedule.add(.init(bundleId: bundleId, environment: environment, index: index), at: time)
    }

    /// Makes the notification of an event, changes the subscriber, and plans the first attempt to send it.
    ///
    /// - Throws: `apple(internalError)` when the simulator has nothing to sign with.
    mutating func notify(
        _ event: NotificationEvent, of app: SimulatorConfiguration.App, in environment: Environment,
        testToken: String? = nil, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(SimulatorProblem) -> SimulatedNotification {
        guard let signer = configuration.signer else { throw .apple(.internalError) }
        let signedDate = event.signedDate ?? now
        var notices = state[app.bundleId][environment].notices
        var subscriber = notices.advance(event, signedDate: signedDate)
        let payload = NotificationPayload(
            event.kind, of: subscriber.sample(event.subscriber, of: app, in: environment),
            uuid: UUID(randomFrom: &random), signedDate: signedDate)
        if event.kind.object == .data, payload.transaction != nil {
            notices.changeCount += 1
            subscriber.apply(payload, change: notices.changeCount)
            notices.subscribers[event.subscriber] = subscriber
        }
        guard let jws = try? signer.compact(payload) else { throw .apple(.internalError) }
        let names = ["transactionId", "originalTransactionId", "appTransactionId"]
        let notification = SimulatedNotification(
            uuid: payload.members.text("notificationUUID") ?? "",
            type: event.kind.type,
            subtype: event.kind.subtype,
            transactionIds: names.compactMap { payload.transaction?.text($0) },
            jws: String(decoding: jws, as: UTF8.self),
            testToken: testToken,
            nextMilliseconds: now
        )
        let index = notices.notifications.count
        notices.notifications.append(notification)
        state[app.bundleId][environment].notices = notices
        schedule.add(.init(bundleId: app.bundleId, environment: environment, index: index), at: now)
        return notification
    }
}

extension NotificationState {
    /// Returns the subscriber of an event, in the period that runs after it. A subscriber who is new began a year before
    /// the present, so that renewals lie in the past; with a `signedDate`, it began at that time.
    fileprivate func advance(_ event: NotificationEvent, signedDate: Int64) -> SimulatedSubscriber {
        guard var subscriber = subscribers[event.subscriber] else {
            let first = event.signedDate ?? max(0, signedDate - 360 * 86_400_000)
            return SimulatedSubscriber(firstPurchaseDate: first)
        }
        let isNewPeriod = event.kind.type == "DID_RENEW" || event.kind.subtype == "RESUBSCRIBE"
        if isNewPeriod {
            subscriber.period = min(subscriber.period + 1, SimulatedSubscriber.greatestPeriod)
            subscriber.plan?.renew()
        }
        return subscriber
    }
}

extension SimulatedSubscriber {
    func sample(
        _ originalTransactionId: Int64, of app: SimulatorConfiguration.App, in environment: Environment
    ) -> SubscriptionSample {
        var sample = SubscriptionSample(
            appAppleId: app.appAppleId, bundleId: app.bundleId, environment: environment,
            purchaseDate: firstPurchaseDate)
        sample.originalTransactionId = originalTransactionId
        sample.period = period
        plan?.write(to: &sample)
        sample.purchaseDate += (period - 1) * sample.periodDays * 86_400_000
        return sample
    }
}

package struct NotificationDelivery: Sendable, Hashable {
    package let bundleId: String
    package let environment: Environment
    /// The place of the notification among all of the app in the environment.
    let index: Int
    package let url: String
    package let body: [UInt8]
}

/// When Apple sends a notification again.
///
/// Source: Apple, Responding to App Store Server Notifications.
enum RetrySchedule {
    /// The hours between an attempt and the next, in Production. Sandbox makes one attempt.
    static let hours: [Int64] = [1, 12, 24, 48, 72]

    /// Returns how long after the last of `count` attempts the next one follows, in milliseconds of an hour that passes
    /// `speed` times faster; nil when none follows.
    static func delay(after count: Int, in environment: Environment, speed: Int64) -> Int64? {
        guard environment == .production, hours.indices.contains(count - 1) else { return nil }
        return max(1, hours[count - 1] * RateLimits.hourMilliseconds / speed)
    }
}

struct DeliverySchedule {
    struct Key: Hashable {
        let bundleId: String
        let environment: Environment
        let index: Int
    }

    private var times: [Key: Int64] = [:]
    /// The time of the earliest attempt, or an earlier one; nil when there is none.
    private(set) var next: Int64?

    init(_ state: SimulatorState) {
        for (bundleId, app) in state.apps {
            for environment in [Environment.production, .sandbox] {
                for (index, notification) in app[environment].notices.notifications.enumerated() {
                    guard let time = notification.nextMilliseconds else { continue }
                    add(Key(bundleId: bundleId, environment: environment, index: index), at: time)
                }
            }
        }
    }

    mutating func add(_ key: Key, at time: Int64) {
        times[key] = time
        next = min(next ?? time, time)
    }

    mutating func takeDue(at now: Int64, count: Int) -> [Key] {
        guard let next, next <= now, count > 0 else { return [] }
        let due = times.filter { $0.value <= now }.sorted {
            ($0.value, $0.key.index) < ($1.value, $1.key.index)
        }.prefix(count)
        for (key, _) in due { times[key] = nil }
        self.next = times.values.min()
        return due.map(\.key)
    }
}

struct NotificationState: Sendable, Hashable, Codable {
    var url: String?
    var notifications: [SimulatedNotification] = []
    var subscribers: [Int64: SimulatedSubscriber] = [:]
    /// The number of changes of transactions so far, which gives their history its order.
    var changeCount: Int64 = 0
    /// The nonces of the offers that were presented. Each is good once.
    var usedNonces: Set<UUID> = []

    /// Returns the subscriber to whom an identifier belongs: a transaction's, an original transaction's or an app
    /// transaction's.
    func subscriber(_ identifier: String) -> (id: Int64, subscriber: SimulatedSubscriber)? {
        if let number = Int64(identifier), let found = subscribers[number] { return (number, found) }
        for (number, subscriber) in subscribers
        where subscriber.transactions.contains(where: { transaction in
            transaction.transactionId == identifier
                || transaction.members.text("appTransactionId") == identifier
        }) {
            return (number, subscriber)
        }
        return nil
    }

    func isAppTransaction(_ identifier: String) -> Bool {
        subscribers.values.contains { subscriber in
            subscriber.transactions.contains { $0.members.text("appTransactionId") == identifier }
        }
    }

    /// The original transaction identifiers that a subscriber can have; those of its other transactions are higher.
    static let subscriberNumbers: ClosedRange<Int64> = 1...999_999_999_999_999
}

struct SimulatedNotification: Sendable, Hashable, Codable {
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

    var isDelivered: Bool { attempts.last?.result == .success }

    /// The member of Get Notification History, and the answer of Get Test Notification Status.
    var item: SentNotification {
        SentNotification(
            signedPayload: jws,
            sendAttempts: attempts.map {
                .init(attemptDate: $0.milliseconds, sendAttemptResult: $0.result.rawValue)
            })
    }
}

struct SimulatedSubscriber: Sendable, Hashable, Codable {
    /// A transaction, without its signature: each answer signs it anew, as Apple's do.
    struct Transaction: Sendable, Hashable, Codable {
        let transactionId: String
        /// The number of the change that made or changed it last.
        var change: Int64
        var members: PayloadMembers
    }

    /// The start of the first period, milliseconds since 1970.
    let firstPurchaseDate: Int64
    /// The number of the running period; the first is 1.
    var period: Int64 = 1
    var transactions: [Transaction] = []
    var renewalInfo: PayloadMembers?
    /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; nil without a subscription.
    var status: Int64?
    /// What the subscriber has bought; nil when a user made the notifications one by one.
    var plan: SubscriberPlan?

    init(firstPurchaseDate: Int64) {
        self.firstPurchaseDate = firstPurchaseDate
    }

    mutating func apply(_ payload: NotificationPayload, change: Int64) {
        guard let members = payload.transaction, let identifier = members.text("transactionId") else {
            return
        }
        if let index = transactions.firstIndex(where: { $0.transactionId == identifier }) {
            transactions[index].members = members
            transactions[index].change = change
        } else {
            transactions.append(Transaction(transactionId: identifier, change: change, members: members))
        }
        if let info = payload.renewalInfo { renewalInfo = info }
        if let status = payload.object.member("status").flatMap({ Int64($0) }) { self.status = status }
    }

    /// The times for which no sum overflows: from 1970 to the end of the year 9999.
    static let dates: ClosedRange<Int64> = 0...253_402_300_799_999
    /// The greatest number of a period: a century of months.
    static let greatestPeriod: Int64 = 1200
}

extension PayloadMembers {
    /// The text of a member that is a string without escapes; nil for any other.
    func text(_ name: String) -> String? {
        guard let json = member(name), json.utf8.count >= 2, json.hasPrefix("\""), json.hasSuffix("\""),
            !json.utf8.contains(UInt8(ascii: "\\"))
        else { return nil }
        return String(json.dropFirst().dropLast())
    }

    func number(_ name: String) -> Int64? { member(name).flatMap { Int64($0) } }
}
