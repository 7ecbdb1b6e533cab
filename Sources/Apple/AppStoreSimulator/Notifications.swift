internal import AppStoreServerAPI
internal import Cryptography
package import System

struct NotificationEvent {
    let kind: NotificationKind
    let subscriber: Int64
    var signedDate: Int64?
}

extension AppStoreSimulator {
    /// The notifications to send now, at most `count`. The caller then calls ``finishDelivery(_:result:answer:at:)``.
    package mutating func takeDueNotifications(at now: Int64, count: Int) -> [NotificationDelivery] {
        schedule.takeDue(at: now, count: count).compactMap { key in
            let state = state[key.bundleId][key.environment].notices
            guard let url = state.url, state.notifications.indices.contains(key.index) else { return nil }
            let jws = Array(state.notifications[key.index].jws.utf8)
            return NotificationDelivery(key: key, url: url, body: SignedRequestBuilder.wrap(jws))
        }
    }

    package var nextDeliveryMilliseconds: Int64? { schedule.next }

    /// Remembers the result of an attempt, and plans the next one after a failure. `answer` has what came back, for people.
    package mutating func finishDelivery(
        _ delivery: NotificationDelivery, result: SendAttemptResult, answer: String? = nil, at now: Int64
    ) {
        let (bundleId, environment, index) = (delivery.key.bundleId, delivery.environment, delivery.key.index)
        var notification = state[bundleId][environment].notices.notifications[index]
        notification.attempts.append(.init(milliseconds: now, result: result))
        notification.lastAnswer = answer
        notification.nextMilliseconds = nil
        let place = notification.attempts.count - 1
        // Sandbox makes one attempt.
        if result != .success, environment == .production, Self.retryHours.indices.contains(place) {
            let hours = Self.retryHours[place]
            notification.nextMilliseconds =
                now + max(1, hours * RateLimits.hourMilliseconds / configuration.speed)
        }
        state[bundleId][environment].notices.notifications[index] = notification
        guard let time = notification.nextMilliseconds else { return }
        schedule.add(delivery.key, at: time)
    }

    /// The hours between an attempt and the next. Source: Apple, Responding to App Store Server Notifications.
    private static let retryHours: [Int64] = [1, 12, 24, 48, 72]

    /// Makes the notification of an event, changes the subscriber, and plans the first attempt to send it.
    mutating func notify(
        _ event: NotificationEvent, of app: SimulatorConfiguration.App, in environment: Environment,
        testToken: String? = nil, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(SimulatorAnswer) -> SimulatedNotification {
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
    /// The subscriber after an event. A new one began a year before the present, so that renewals lie in the past.
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
    let key: DeliverySchedule.Key
    package let url: String
    package let body: [UInt8]

    package var environment: Environment { key.environment }
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
    var changeCount: Int64 = 0
    var usedNonces: Set<UUID> = []

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
    /// The identifiers of the transaction: its own, the original one, the app's.
    let transactionIds: [String]
    let jws: String
    let testToken: String?
    var attempts: [Attempt] = []
    var nextMilliseconds: Int64?
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

    let firstPurchaseDate: Int64
    /// The number of the running period; the first is 1.
    var period: Int64 = 1
    var transactions: [Transaction] = []
    var renewalInfo: PayloadMembers?
    /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; nil without a subscription.
    var status: Int64?
    /// What the subscriber has bought; nil when a user made the notifications one by one.
    var plan: SubscriberPlan?

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
