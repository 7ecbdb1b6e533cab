internal import AppStoreServerAPI
internal import JSON
internal import System

/// The paths with which a user plays a customer. Each makes the notifications that Apple would send.
extension AppStoreSimulator {
    /// Reads `{"bundleId":…, "subscriber":2000000001, "productId":"pro_monthly", "date":…}`. The purchase is of now without
    /// `date`, which must not lie ahead.
    mutating func buy(
        _ request: SimulatorRequest, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(SimulatorAnswer) -> SimulatorAnswer {
        let customer = try customer(request)
        guard let productId = customer.root.member("productId")?.string else { throw .malformed }
        var date = now
        if let given = customer.root.member("date") {
            guard let time = given.int64, (0...now).contains(time) else { throw .malformed }
            date = time
        }
        guard let subscription = configuration.subscriptions.first(where: { $0.productId == productId })
        else {
            throw SimulatorAnswer(
                refused: 404, "unknown-product",
                "the simulator sells no such product; --subscription of `serve` names it")
        }
        guard notices(customer).subscribers[customer.number] == nil else {
            throw SimulatorAnswer(
                refused: 409, "already-subscribed", "the simulator has this subscriber already")
        }
        var subscriber = SimulatedSubscriber(firstPurchaseDate: date)
        subscriber.plan = SubscriberPlan(
            productId: productId, price: subscription.price, periodDays: subscription.periodDays)
        let event = NotificationEvent(kind: Self.purchase, subscriber: customer.number, signedDate: date)
        return try send([(event, subscriber)], of: customer, at: now, using: &random)
    }

    /// Reads `{"bundleId":…, "subscriber":2000000001, "isAhead":false}`. Renews every period that has ended, and with
    /// `isAhead` also the one that ends within a day, as Apple may.
    mutating func renew(
        _ request: SimulatorRequest, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(SimulatorAnswer) -> SimulatorAnswer {
        let customer = try customer(request)
        guard let isAhead = customer.root.member("isAhead")?.boolean else { throw .malformed }
        let (subscriber, plan) = try renewing(customer)
        let limit = isAhead ? now + Self.dayMilliseconds : now
        var events: [(NotificationEvent, SimulatedSubscriber?)] = []
        for period in subscriber.period..<SimulatedSubscriber.greatestPeriod {
            let end = subscriber.firstPurchaseDate + period * plan.periodDays * Self.dayMilliseconds
            guard end <= limit else { break }
            let event = NotificationEvent(
                kind: Self.renewal, subscriber: customer.number, signedDate: min(end, now))
            events.append((event, nil))
        }
        guard !events.isEmpty else {
            throw SimulatorAnswer(refused: 409, "nothing-to-renew", "no period has ended")
        }
        return try send(events, of: customer, at: now, using: &random)
    }

    /// Reads `{"bundleId":…, "subscriber":2000000001, "answer":{"promotionalOffer":…}}`: the customer sees the message of an
    /// answer to Get Retention Message and accepts its offer. A signature is good once, also when the offer is refused.
    mutating func accept(
        _ request: SimulatorRequest, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(SimulatorAnswer) -> SimulatorAnswer {
        let customer = try customer(request)
        guard let answer = customer.root.member("answer") else { throw .malformed }
        var (subscriber, plan) = try renewing(customer)
        let shown = try shownOffer(answer, customer)
        let bundleId = customer.app.bundleId
        guard state[bundleId][customer.environment].notices.usedNonces.insert(shown.nonce).inserted else {
            throw .unsold("nonce-used", "the signature was used before")
        }
        try shown.check(app: bundleId, originalTransactionId: customer.number, at: now)
        guard shown.productId == plan.productId else {
            throw .unsold("other-product", "the offer is for a product that this subscriber does not have")
        }
        let subscription = configuration.subscriptions.first { $0.productId == shown.productId }
        guard let offer = subscription?.offers.first(where: { $0.identifier == shown.identifier }) else {
            throw .unsold("unknown-offer", "the product has no such offer; --offer of `serve` names it")
        }
        plan.accept(offer)
        subscriber.plan = plan
        let event = NotificationEvent(kind: Self.redemption, subscriber: customer.number)
        return try send([(event, subscriber)], of: customer, at: now, using: &random)
    }

    private func customer(_ request: SimulatorRequest) throws(SimulatorAnswer) -> SimulatedCustomer {
        guard let root = request.root,
            let number = root.member("subscriber")?.int64,
            NotificationState.subscriberNumbers.contains(number)
        else { throw .malformed }
        let app = try administeredApp(root)
        try checkNotifying(app, request.environment)
        return SimulatedCustomer(root: root, number: number, app: app, environment: request.environment)
    }

    private func renewing(
        _ customer: SimulatedCustomer
    ) throws(SimulatorAnswer) -> (SimulatedSubscriber, SubscriberPlan) {
        guard let subscriber = notices(customer).subscribers[customer.number] else {
            throw SimulatorAnswer(
                refused: 404, "unknown-subscriber",
                "the simulator has no such subscriber; `subscriber buy` makes one")
        }
        guard subscriber.renews, let plan = subscriber.plan else {
            throw SimulatorAnswer(
                refused: 409, "not-renewing", "the subscription has ended, or it does not renew")
        }
        return (subscriber, plan)
    }

    private func notices(_ customer: SimulatedCustomer) -> NotificationState {
        state[customer.app.bundleId][customer.environment].notices
    }

    private func shownOffer(_ answer: JSONValue, _ customer: SimulatedCustomer) throws(SimulatorAnswer)
        -> PresentedOffer
    {
        guard RealtimeAnswer.flaw(in: JSONNode(answer).serialized()) == nil else { throw .malformedOffer }
        guard let offer = answer.member("promotionalOffer") else {
            throw .unsold("no-offer", "the answer has no promotional offer")
        }
        let identifier = offer.member("messageIdentifier")?.string.flatMap { UUID($0) }
        let bundleId = customer.app.bundleId
        let message = identifier.flatMap { state[bundleId][customer.environment].messages[$0] }
        guard let message, message.state == .approved, message.images.isEmpty else {
            throw .unsold(
                "message-not-shown",
                "Apple does not show the message: it is not known, not approved, or has an image or bullet points"
            )
        }
        return try PresentedOffer(offer, of: bundleId, keys: configuration.keys)
    }

    /// Makes the notifications of events. A subscriber beside an event replaces the one that is known.
    private mutating func send(
        _ events: [(event: NotificationEvent, subscriber: SimulatedSubscriber?)],
        of customer: SimulatedCustomer, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(SimulatorAnswer) -> SimulatorAnswer {
        let (app, environment) = (customer.app, customer.environment)
        let before = self
        var made: [JSONNode] = []
        for (event, subscriber) in events {
            if let subscriber {
                state[app.bundleId][environment].notices.subscribers[event.subscriber] = subscriber
            }
            let notification = try? notify(event, of: app, in: environment, at: now, using: &random)
            guard let notification, let changed = notices(customer).subscribers[event.subscriber] else {
                self = before
                throw .notSigned
            }
            made.append(changed.summary(notification, event, signedDate: event.signedDate ?? now))
        }
        return SimulatorAnswer(.object([("notifications", .array(made))]))
    }

    private static let purchase = NotificationKind.known("SUBSCRIBED", "INITIAL_BUY")
    private static let renewal = NotificationKind.known("DID_RENEW")
    private static let redemption = NotificationKind.known("OFFER_REDEEMED")
    private static let dayMilliseconds: Int64 = 86_400_000
}

extension SimulatedSubscriber {
    fileprivate var renews: Bool { status == 1 && renewalInfo?.number("autoRenewStatus") == 1 }

    fileprivate func summary(
        _ notification: SimulatedNotification, _ event: NotificationEvent, signedDate: Int64
    ) -> JSONNode {
        func node(_ members: PayloadMembers?, _ name: String) -> JSONNode {
            if let number = members?.number(name) { return .integer(number) }
            return members?.text(name).map { .string($0) } ?? .null
        }
        let last = transactions.last?.members
        return .object([
            ("notificationUUID", .string(notification.uuid)), ("kind", .string(event.kind.description)),
            ("originalTransactionId", .string(String(event.subscriber))),
            ("signedDate", .integer(signedDate)), ("transactionId", node(last, "transactionId")),
            ("productId", node(last, "productId")), ("purchaseDate", node(last, "purchaseDate")),
            ("expiresDate", node(last, "expiresDate")), ("price", node(last, "price")),
            ("currency", node(last, "currency")), ("offerIdentifier", node(last, "offerIdentifier")),
            ("renewalPrice", node(renewalInfo, "renewalPrice")),
            ("renewalOfferIdentifier", node(renewalInfo, "offerIdentifier")),
        ])
    }
}

struct SimulatedCustomer {
    let root: JSONValue
    let number: Int64
    let app: SimulatorConfiguration.App
    let environment: Environment
}

/// What a subscriber has bought: the subscription as it was then, and the offer that the subscriber has accepted.
struct SubscriberPlan: Sendable, Hashable, Codable {
    struct AcceptedOffer: Sendable, Hashable, Codable {
        let identifier: String
        let price: Int64
        var remainingCount: Int64
        var isRunning = false
    }

    let productId: String
    let price: Int64
    let periodDays: Int64
    var offer: AcceptedOffer?

    /// Accepts an offer, which begins with the coming period. Source: Apple, Implementing promotional offers in your app.
    mutating func accept(_ offer: SimulatedSubscription.Offer) {
        self.offer = AcceptedOffer(
            identifier: offer.identifier, price: offer.price, remainingCount: offer.periodCount)
    }

    mutating func renew() {
        guard var offer else { return }
        offer.isRunning = offer.remainingCount > 0
        offer.remainingCount = max(0, offer.remainingCount - 1)
        self.offer = offer.isRunning ? offer : nil
    }

    func write(to sample: inout SubscriptionSample) {
        sample.productId = productId
        sample.price = price
        sample.periodDays = periodDays
        guard let offer else { return }
        let shown = SubscriptionOffer(identifier: offer.identifier, price: offer.price, period: duration)
        sample.offer = offer.isRunning ? shown : nil
        sample.renewalOffer = offer.remainingCount > 0 ? shown : nil
    }

    /// The duration of a period as Apple writes it (ISO 8601).
    private var duration: String {
        switch periodDays {
        case 30: "P1M"
        case 365: "P1Y"
        case let days where days % 7 == 0: "P\(days / 7)W"
        case let days: "P\(days)D"
        }
    }
}
