internal import AppStoreServerAPI
internal import AppStoreTraffic
internal import JSON
internal import Vocabulary

/// The paths with which a user plays a customer: buys a subscription, lets it renew, and accepts an offer. Each makes the
/// notifications that Apple would send.
extension AppStoreSimulator {
    /// Reads `{"bundleId":…, "subscriber":2000000001, "productId":"pro_monthly", "date":…}`. The purchase is of now without
    /// `date`, which must not lie ahead.
    mutating func buy(
        _ request: SimulatorRequest,
        at now: Int64,
        using random: inout some RandomNumberGenerator
    ) -> SimulatorAnswer {
        guard let root = try? EnvironmentState.object(request), let number = Self.subscriber(root),
            let productId = root.member("productId")?.string
        else { return Self.failure(400, "malformed") }
        var date = now
        if let given = root.member("date") {
            guard let time = given.int64, (0...now).contains(time) else {
                return Self.failure(400, "malformed")
            }
            date = time
        }
        guard let app = administeredApp(root) else { return Self.failure(404, "unknown-app") }
        if let failure = notifyingFailure(app, request.environment) { return failure }
        guard let subscription = configuration.subscriptions.first(where: { $0.productId == productId })
        else { return Self.failure(404, "unknown-product") }
        let environment = request.environment
        guard state[app.bundleId][environment].notices.subscribers[number] == nil else {
            return Self.failure(409, "already-subscribed")
        }
        var subscriber = SimulatedSubscriber(firstPurchaseDate: date)
        subscriber.plan = SubscriberPlan(subscription)
        let event = NotificationEvent(Self.purchase, number, signedDate: date)
        return tell([(event, subscriber)], of: app, in: environment, at: now, using: &random)
    }

    /// Reads `{"bundleId":…, "subscriber":2000000001, "isAhead":false}`. Renews every period that has ended, and with
    /// `isAhead` also the one that ends within a day, as Apple may.
    mutating func renew(
        _ request: SimulatorRequest,
        at now: Int64,
        using random: inout some RandomNumberGenerator
    ) -> SimulatorAnswer {
        guard let root = try? EnvironmentState.object(request), let number = Self.subscriber(root),
            let isAhead = root.member("isAhead")?.boolean
        else { return Self.failure(400, "malformed") }
        guard let app = administeredApp(root) else { return Self.failure(404, "unknown-app") }
        let environment = request.environment
        if let failure = notifyingFailure(app, environment) { return failure }
        guard let subscriber = state[app.bundleId][environment].notices.subscribers[number] else {
            return Self.failure(404, "unknown-subscriber")
        }
        guard subscriber.renews, let plan = subscriber.plan else { return Self.failure(409, "not-renewing") }
        let limit = isAhead ? now + Self.aheadMilliseconds : now
        var events: [(NotificationEvent, SimulatedSubscriber?)] = []
        for period in subscriber.period..<SimulatedSubscriber.greatestPeriod {
            let end = subscriber.firstPurchaseDate + period * plan.periodDays * Self.dayMilliseconds
            guard end <= limit else { break }
            events.append((NotificationEvent(Self.renewal, number, signedDate: min(end, now)), nil))
        }
        guard !events.isEmpty else { return Self.failure(409, "nothing-to-renew") }
        return tell(events, of: app, in: environment, at: now, using: &random)
    }

    /// Reads `{"bundleId":…, "subscriber":2000000001, "answer":{"promotionalOffer":…}}`: the customer sees the message of an
    /// answer to Get Retention Message and accepts its offer. A signature is good once, also when the offer is refused.
    mutating func accept(
        _ request: SimulatorRequest,
        at now: Int64,
        using random: inout some RandomNumberGenerator
    ) -> SimulatorAnswer {
        guard let root = try? EnvironmentState.object(request), let number = Self.subscriber(root),
            let answer = root.member("answer")
        else { return Self.failure(400, "malformed") }
        guard let app = administeredApp(root) else { return Self.failure(404, "unknown-app") }
        let environment = request.environment
        if let failure = notifyingFailure(app, environment) { return failure }
        guard var subscriber = state[app.bundleId][environment].notices.subscribers[number] else {
            return Self.failure(404, "unknown-subscriber")
        }
        guard subscriber.renews, let plan = subscriber.plan else { return Self.failure(409, "not-renewing") }
        do throws(OfferRefusal) {
            let shown = try shownOffer(answer, app, environment)
            guard state[app.bundleId][environment].notices.usedNonces.insert(shown.nonce).inserted else {
                throw .nonceUsed
            }
            try shown.check(app: app.bundleId, originalTransactionId: number, at: now)
            guard shown.productId == plan.productId else { throw .otherProduct }
            let subscription = configuration.subscriptions.first { $0.productId == shown.productId }
            guard let offer = subscription?.offers.first(where: { $0.identifier == shown.identifier })
            else { throw .unknownOffer }
            subscriber.plan?.accept(offer)
        } catch {
            return Self.refusal(error)
        }
        let event = NotificationEvent(Self.redemption, number, signedDate: nil)
        return tell([(event, subscriber)], of: app, in: environment, at: now, using: &random)
    }

    /// Returns the offer of an answer, if Apple shows its message and its signature is good.
    private func shownOffer(
        _ answer: JSONValue,
        _ app: SimulatorConfiguration.App,
        _ environment: Environment
    ) throws(OfferRefusal) -> PresentedOffer {
        guard RealtimeAnswer.flaw(in: JSONNode(answer).serialized()) == nil else { throw .malformedAnswer }
        guard let offer = answer.member("promotionalOffer") else { throw .noOffer }
        let identifier = offer.member("messageIdentifier")?.string.flatMap { UUID($0) }
        let message = identifier.flatMap { state[app.bundleId][environment].messages[$0] }
        guard let message, message.state == .approved, message.images.isEmpty else { throw .messageNotShown }
        return try PresentedOffer(offer, of: app.bundleId, keys: configuration.keys)
    }

    /// Makes the notifications of events. A subscriber beside an event replaces the one that is known.
    private mutating func tell(
        _ events: [(event: NotificationEvent, subscriber: SimulatedSubscriber?)],
        of app: SimulatorConfiguration.App,
        in environment: Environment,
        at now: Int64,
        using random: inout some RandomNumberGenerator
    ) -> SimulatorAnswer {
        var made: [JSONNode] = []
        for (event, subscriber) in events {
            let before = state[app.bundleId][environment].notices.subscribers[event.subscriber]
            if let subscriber {
                state[app.bundleId][environment].notices.subscribers[event.subscriber] = subscriber
            }
            let notification = try? notify(event, of: app, in: environment, at: now, using: &random)
            let changed = state[app.bundleId][environment].notices.subscribers[event.subscriber]
            guard let notification, let changed else {
                state[app.bundleId][environment].notices.subscribers[event.subscriber] = before
                return Self.failure(500, "not-signed")
            }
            made.append(changed.summary(notification, event, signedDate: event.signedDate ?? now))
        }
        return SimulatorAnswer(.object([("notifications", .array(made))]))
    }

    private static func subscriber(_ root: JSONValue) -> Int64? {
        root.member("subscriber")?.int64.flatMap {
            NotificationState.subscriberNumbers.contains($0) ? $0 : nil
        }
    }

    private static func refusal(_ reason: OfferRefusal) -> SimulatorAnswer {
        let document = JSONNode.object([
            ("error", .string("offer-refused")), ("reason", .string(reason.rawValue)),
        ])
        return SimulatorAnswer(status: 403, body: document.serialized())
    }

    private static let purchase = NotificationKind.known("SUBSCRIBED", "INITIAL_BUY")
    private static let renewal = NotificationKind.known("DID_RENEW")
    private static let redemption = NotificationKind.known("OFFER_REDEEMED")
    private static let dayMilliseconds: Int64 = 86_400_000
    /// How long before the end of a period Apple charges its renewal at most.
    private static let aheadMilliseconds = dayMilliseconds
}

extension SimulatedSubscriber {
    /// True when the subscription is active and renews.
    fileprivate var renews: Bool { status == 1 && renewalInfo?.number("autoRenewStatus") == 1 }

    /// What a notification says of the subscriber, for people.
    fileprivate func summary(
        _ notification: SimulatedNotification,
        _ event: NotificationEvent,
        signedDate: Int64
    ) -> JSONNode {
        func text(_ members: PayloadMembers?, _ name: String) -> JSONNode {
            members?.text(name).map { .string($0) } ?? .null
        }
        func number(_ members: PayloadMembers?, _ name: String) -> JSONNode {
            members?.number(name).map { .integer($0) } ?? .null
        }
        let last = transactions.last?.members
        return .object([
            ("notificationUUID", .string(notification.uuid)), ("kind", .string(event.kind.description)),
            ("originalTransactionId", .string(String(event.subscriber))),
            ("signedDate", .integer(signedDate)), ("transactionId", text(last, "transactionId")),
            ("productId", text(last, "productId")), ("purchaseDate", number(last, "purchaseDate")),
            ("expiresDate", number(last, "expiresDate")), ("price", number(last, "price")),
            ("currency", text(last, "currency")), ("offerIdentifier", text(last, "offerIdentifier")),
            ("renewalPrice", number(renewalInfo, "renewalPrice")),
            ("renewalOfferIdentifier", text(renewalInfo, "offerIdentifier")),
        ])
    }
}
