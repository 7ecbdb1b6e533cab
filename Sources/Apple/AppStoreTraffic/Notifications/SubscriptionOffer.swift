/// A promotional offer, as the payloads of a period or of a renewal show it.
public struct SubscriptionOffer: Sendable, Hashable {
    /// The offer's identifier in App Store Connect.
    public var identifier: String
    /// What a period costs with the offer, in thousandths.
    public var price: Int64
    /// The duration of a period, as in `P1M`.
    public var period: String

    public init(identifier: String, price: Int64, period: String) {
        self.identifier = identifier
        self.price = price
        self.period = period
    }

    /// `offerType` of a promotional offer. Source: Apple, offerType.
    private static let type: Int64 = 2

    /// Writes the members that a transaction and a renewal info share.
    func write(to members: inout PayloadMembers) {
        members.set("offerType", number: Self.type)
        members.set("offerIdentifier", text: identifier)
        members.set("offerDiscountType", text: price == 0 ? "FREE_TRIAL" : "PAY_AS_YOU_GO")
        members.set("offerPeriod", text: period)
    }
}
