internal import AppStoreTraffic
internal import JSON

/// What a subscriber has bought: the subscription as it was then, and the offer that the subscriber has accepted.
struct SubscriberPlan: Sendable, Hashable {
    /// An offer that lowers the price of periods.
    struct AcceptedOffer: Sendable, Hashable {
        let identifier: String
        let price: Int64
        /// The number of periods after the running one that have the offer.
        var remainingCount: Int64
        /// True when the running period has the offer.
        var isRunning = false
    }

    let productId: String
    let price: Int64
    let periodDays: Int64
    var offer: AcceptedOffer?

    init(_ subscription: SimulatedSubscription) {
        productId = subscription.productId
        price = subscription.price
        periodDays = subscription.periodDays
    }

    /// Accepts an offer, which begins with the coming period. Source: Apple, Implementing promotional offers in your app.
    mutating func accept(_ offer: SimulatedSubscription.Offer) {
        self.offer = AcceptedOffer(
            identifier: offer.identifier, price: offer.price, remainingCount: offer.periodCount)
    }

    /// Goes on to the next period.
    mutating func renew() {
        guard var offer else { return }
        offer.isRunning = offer.remainingCount > 0
        offer.remainingCount = max(0, offer.remainingCount - 1)
        self.offer = offer.isRunning ? offer : nil
    }

    /// Writes the plan into a sample.
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

    /// The plan as JSON, for the state file.
    var node: JSONNode {
        let accepted = offer.map { offer in
            JSONNode.object([
                ("identifier", .string(offer.identifier)), ("price", .integer(offer.price)),
                ("remainingCount", .integer(offer.remainingCount)), ("isRunning", .boolean(offer.isRunning)),
            ])
        }
        return .object([
            ("productId", .string(productId)), ("price", .integer(price)),
            ("periodDays", .integer(periodDays)), ("offer", accepted ?? .null),
        ])
    }

    /// Reads what ``node`` gives.
    init?(_ value: JSONValue) {
        guard let productId = value.member("productId")?.string, let price = value.member("price")?.int64,
            let days = value.member("periodDays")?.int64,
            let subscription = SimulatedSubscription(productId: productId, price: price, periodDays: days)
        else { return nil }
        self.init(subscription)
        guard let offer = value.member("offer"), offer.kind != .null else { return }
        guard let identifier = offer.member("identifier")?.string, let price = offer.member("price")?.int64,
            let count = offer.member("remainingCount")?.int64,
            let isRunning = offer.member("isRunning")?.boolean,
            SimulatedSubscription.Offer(identifier: identifier, price: price, periodCount: 1) != nil,
            (0...SimulatedSubscription.Offer.periodCounts.upperBound).contains(count)
        else { return nil }
        self.offer = AcceptedOffer(
            identifier: identifier, price: price, remainingCount: count, isRunning: isRunning)
    }
}
