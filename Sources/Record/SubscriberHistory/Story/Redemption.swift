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
    /// The time from which on nothing may be missing for this to be the whole redemption: payloads before it cannot show
    /// an earlier begin. `Int64.min` when no known period shows that.
    let knownFrom: Int64
}

/// Finds redemptions.
///
/// Consecutive periods with the same type and identifier are one redemption: an offer that is paid as the customer goes
/// repeats them. A renewal info with an offer for the coming period is the first evidence of that period's redemption. It
/// counts also when the period never comes, because the subscriber accepted the offer. A customer who returns after a lapse
/// accepts an offer anew. A member of a family or an organization accepts no offer.
struct RedemptionSearch {
    private(set) var found: [Redemption] = []
    /// The offer of the period or promise before, and its place in `found`.
    private var running: [Redemption.Offer: Int] = [:]

    init(_ story: Story) {
        var renewals = story.renewals[...]
        var last: Period?
        for period in story.periods where period.isOwn {
            let begin = period.announcedAt
            // A period whose price Apple collected in the grace period began before the collection.
            let promises = renewals.prefix {
                $0.signedAt < begin || ($0.columns.isInBillingRetry == true && $0.signedAt < period.end)
            }
            renewals = renewals.dropFirst(promises.count)
            add(promises, during: last)
            add(period, after: last)
            last = period
        }
        add(renewals, during: last)
        found.sort { ($0.at, $0.knownFrom) < ($1.at, $1.knownFrom) }
    }

    /// Adds the offers that renewal infos promise for the period after `period`.
    private mutating func add(
        _ promises: ArraySlice<HistoryPayload<RenewalColumns>>,
        during period: Period?
    ) {
        for promise in promises {
            let columns = promise.columns
            guard let offer = Redemption.Offer(columns.offerType, columns.offerIdentifier) else { continue }
            add(offer, at: promise.signedAt, promise.evidence, knownFrom: period?.start ?? .min)
        }
    }

    /// Adds the offer of a period, and forgets the offers that it does not go on with.
    private mutating func add(_ period: Period, after last: Period?) {
        let columns = period.columns
        let isPurchase = columns.reason == "PURCHASE"
        if isPurchase, let last, period.start > last.end + last.tolerance { running = [:] }
        let offer = Redemption.Offer(columns.offerType, columns.offerIdentifier)
        if let offer {
            // A renewal may go on with the offer of the period before.
            let knownFrom = isPurchase ? period.start : last?.start ?? .min
            add(offer, at: min(period.start, period.first.signedAt), period.first, knownFrom: knownFrom)
        }
        running = running.filter { $0.key == offer }
    }

    private mutating func add(
        _ offer: Redemption.Offer,
        at time: Int64,
        _ evidence: Evidence,
        knownFrom: Int64
    ) {
        if let number = running[offer] {
            found[number].at = min(found[number].at, time)
            found[number].evidence.append(evidence)
            return
        }
        running[offer] = found.count
        found.append(Redemption(offer: offer, at: time, evidence: [evidence], knownFrom: knownFrom))
    }
}

extension Story {
    /// Why an accepted offer may be unknown; nil when each is known.
    var unknownOffer: MissingReason? {
        func isUnfit(_ names: Set<String>) -> Bool {
            names.contains("offer_type") || names.contains("offer_identifier")
        }
        if periods.contains(where: { isUnfit($0.copy.unfit) }) { return .unfitValue }
        if renewals.contains(where: { isUnfit($0.unfit) }) { return .unfitValue }
        return hasUnnamedRedemption ? .noValue : nil
    }

    /// True when an `OFFER_REDEEMED` tells of an offer that no payload names. The offer may have any type.
    private var hasUnnamedRedemption: Bool {
        notifications.contains { notification in
            guard notification.columns.type == "OFFER_REDEEMED" else { return false }
            if renewal(of: notification)?.columns.offerType != nil { return false }
            let time = notification.signedAt
            let own = periods.first { $0.id == notification.columns.transactionID }
            if own?.columns.offerType != nil { return false }
            let next = periods.first { $0.start > time }
            if next?.columns.offerType != nil { return false }
            let end = next?.announcedAt ?? .max
            return !renewals.contains {
                (time..<max(time, end)).contains($0.signedAt) && $0.columns.offerType != nil
            }
        }
    }
}
