/// A subscription that the team sells, with its promotional offers, as the team has entered them in App Store Connect.
package struct SimulatedSubscription: Sendable, Hashable {
    /// A promotional offer, which lowers the price of some periods.
    package struct Offer: Sendable, Hashable {
        package let identifier: String
        /// What a period costs with the offer, in thousandths of a dollar.
        package let price: Int64
        package let periodCount: Int64

        /// Combines the parts of an offer; nil when one of them is out of bounds.
        package init?(identifier: String, price: Int64, periodCount: Int64) {
            guard Self.isIdentifier(identifier), SimulatedSubscription.prices.contains(price),
                Self.periodCounts.contains(periodCount)
            else { return nil }
            self.identifier = identifier
            self.price = price
            self.periodCount = periodCount
        }

        /// Returns true when a text can identify an offer or a product.
        static func isIdentifier(_ text: String) -> Bool {
            (1...SimulatorLimits.productIdLength).contains(text.count)
        }

        /// The numbers of periods that an offer can have. Apple allows a year of months.
        static let periodCounts: ClosedRange<Int64> = 1...12
    }

    package let productId: String
    /// What a period costs, in thousandths of a dollar.
    package let price: Int64
    /// The duration of a period in days.
    package let periodDays: Int64
    package var offers: [Offer] = []

    /// Combines the parts of a subscription without offers; nil when one of them is out of bounds.
    package init?(productId: String, price: Int64, periodDays: Int64 = 30) {
        guard Offer.isIdentifier(productId), Self.prices.contains(price),
            Self.durations.contains(periodDays)
        else { return nil }
        self.productId = productId
        self.price = price
        self.periodDays = periodDays
    }

    /// The prices that a period can have: a million dollars at most.
    static let prices: ClosedRange<Int64> = 0...1_000_000_000
    /// The durations that a period can have, in days.
    static let durations: ClosedRange<Int64> = 1...366
}
