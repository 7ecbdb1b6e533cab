internal import AppStoreServerAPI
internal import Cryptography
internal import System

/// An event in the life of a subscriber, of which the simulator makes a notification.
struct NotificationEvent {
    let kind: NotificationKind
    /// The original transaction identifier of the subscriber.
    let subscriber: Int64
    /// `signedDate`; nil for the present.
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
    /// The running period, from which notifications are made.
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
