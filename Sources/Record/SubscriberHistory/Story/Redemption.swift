internal import NotificationStore

/// An offer that the subscriber accepted once, however many periods it lasts.
struct Redemption: Sendable, Hashable {
    /// What tells offers apart.
    struct Offer: Sendable, Hashable {
        /// 2 promotional, 4 win-back, 5 retention offer.
        let type: Int64
        /// `offerIdentifier`; nil when the payload has none.
        let identifier: String?

        /// Makes an offer from the columns of a payload; nil unless its type counts as accepted.
        init?(_ type: Int64?, _ identifier: String?) {
            guard let type, Self.types.contains(type) else { return nil }
            self.type = type
            self.identifier = identifier
        }

        private static let types: Set<Int64> = [promotional, winBack, retention]
        static let introductory: Int64 = 1
        static let promotional: Int64 = 2
        static let winBack: Int64 = 4
        static let retention: Int64 = 5
    }

    let offer: Offer
    /// The time of the first evidence, milliseconds since 1970.
    var at: Int64
    /// The payloads that show it.
    var evidence: [Evidence]
    /// The time from which on nothing may be missing for this to be the whole redemption: payloads before it cannot show
    /// an earlier begin. `Int64.min` when no known period shows that.
    let knownFrom: Int64
}
