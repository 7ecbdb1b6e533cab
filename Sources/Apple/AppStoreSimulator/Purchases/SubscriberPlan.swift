/// What a subscriber has bought: the subscription as it was then, and the offer that the subscriber has accepted.
struct SubscriberPlan: Sendable, Hashable, Codable {
    /// An offer that lowers the price of periods.
    struct AcceptedOffer: Sendable, Hashable, Codable {
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
}
