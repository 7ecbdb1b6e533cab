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
        static let promotional: Int64 = 2
        static let winBack: Int64 = 4
        static let retention: Int64 = 5
    }

    /// The offer.
    let offer: Offer
    /// The time of the first evidence, milliseconds since 1970.
    var at: Int64
    /// The payloads that show it.
    var evidence: [Evidence]
    /// The place of the period in which the first evidence lies; nil when it came before the first known period.
    let place: Int?
}

/// Finds redemptions.
///
/// Consecutive periods with the same type and identifier are one redemption: an offer that is paid as the customer goes
/// repeats them. A renewal info with an offer for the coming period is the first evidence of that period's redemption. It
/// counts also when the period never comes, because the subscriber accepted the offer.
struct RedemptionSearch {
    private(set) var found: [Redemption] = []
    /// The offer of the period or promise before, and its place in `found`.
    private var running: [Redemption.Offer: Int] = [:]

    /// Apple charges a renewal up to a day before its period begins, and then signs the renewal info for the period after
    /// that one within this time of the transaction.
    private static let signingMilliseconds: Int64 = 60_000

    init(_ story: Story) {
        var renewals = story.renewals[...]
        var promises: ArraySlice<HistoryPayload<RenewalColumns>> = []
        for (place, period) in story.periods.enumerated() {
            let begin = min(period.start, period.first.signedAt - Self.signingMilliseconds)
            promises = renewals.prefix { $0.signedAt < begin }
            renewals = renewals.dropFirst(promises.count)
            add(promises, before: place)
            add(period, place)
        }
        add(renewals, before: story.periods.count)
        found.sort { ($0.at, $0.place ?? -1) < ($1.at, $1.place ?? -1) }
    }

    /// Adds the offers that renewal infos promise for the period at `place`.
    private mutating func add(_ promises: ArraySlice<HistoryPayload<RenewalColumns>>, before place: Int) {
        for promise in promises {
            let columns = promise.columns
            guard let offer = Redemption.Offer(columns.offerType, columns.offerIdentifier) else { continue }
            add(offer, at: promise.signedAt, promise.evidence, place == 0 ? nil : place - 1)
        }
    }

    /// Adds the offer of a period, and forgets the offers that it does not go on with.
    private mutating func add(_ period: Period, _ place: Int) {
        let columns = period.columns
        let offer = Redemption.Offer(columns.offerType, columns.offerIdentifier)
        if let offer { add(offer, at: period.start, period.first, place) }
        running = running.filter { $0.key == offer }
    }

    private mutating func add(_ offer: Redemption.Offer, at time: Int64, _ evidence: Evidence, _ place: Int?)
    {
        if let number = running[offer] {
            found[number].at = min(found[number].at, time)
            found[number].evidence.append(evidence)
            return
        }
        running[offer] = found.count
        found.append(Redemption(offer: offer, at: time, evidence: [evidence], place: place))
    }
}
