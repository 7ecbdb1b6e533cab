internal import NotificationStore

/// Finds redemptions.
///
/// An offer that is paid as the customer goes repeats its type and identifier in each of its periods, and these periods are
/// one redemption. No payload tells how many they are, so the same offer in the next period goes on with the redemption unless
/// a payload shows that the customer accepted it again: another `OFFER_REDEEMED`, a purchase, or a renewal info without the
/// offer before one with it. An offer of any other kind has one period.
///
/// A renewal info with an offer for the coming period is the first evidence of that period's redemption. It counts also when
/// the period never comes, because the subscriber accepted the offer. A member of a family or an organization accepts no offer,
/// whatever the renewal info names.
struct RedemptionSearch {
    /// A redemption that may go on.
    private struct Running {
        /// Its place in `found`.
        let place: Int
        /// The product of the latest evidence.
        var product: String?
        /// When Apple signed the latest renewal info of the running period that has the offer.
        var promisedAt = Int64.min
        /// True when a renewal info of the running period was the first evidence.
        var isPromise = true
        /// True when an `OFFER_REDEEMED` told of it.
        var isTold = false
    }

    private(set) var found: [Redemption] = []
    private var running: [Redemption.Offer: Running] = [:]
    private let announcements: OfferAnnouncements
    /// The announcements without a renewal info that have not been looked at.
    private var nameless: ArraySlice<Int64>

    init(_ story: Story) {
        announcements = OfferAnnouncements(story)
        nameless = announcements.nameless[...]
        var renewals = story.ownRenewals[...]
        var last: Period?
        for period in story.periods where period.isOwn {
            let begin = announcements.begin(of: period, among: renewals)
            // A period whose price Apple collected in the grace period began before the collection.
            let promises = renewals.prefix {
                $0.signedAt < begin || ($0.columns.isInBillingRetry == true && $0.signedAt < period.end)
            }
            renewals = renewals.dropFirst(promises.count)
            add(promises, during: last)
            forget(before: begin)
            add(period, after: last)
            last = period
        }
        add(renewals, during: last)
        found.sort { ($0.at, $0.knownFrom) < ($1.at, $1.knownFrom) }
    }

    /// Adds the offers that renewal infos promise for the period after `period`.
    private mutating func add(_ promises: ArraySlice<HistoryPayload<RenewalColumns>>, during period: Period?)
    {
        for promise in promises {
            forget(before: promise.signedAt)
            let offer = Redemption.Offer(promise.columns.offerType, promise.columns.offerIdentifier)
            // Without renewal, and while Apple tries to collect a price, a renewal info need not show the offer.
            if !running.isEmpty, promise.columns.autoRenewStatus != 0,
                promise.columns.isInBillingRetry != true
            {
                running = running.filter {
                    $0.key == offer || $0.value.product != promise.columns.renewalProductID
                        || promise.signedAt <= $0.value.promisedAt
                }
            }
            guard let offer else { continue }
            let isTold = announcements.promises.contains(promise.evidence.name)
            if isTold, let known = running[offer], !known.isPromise || known.isTold { running[offer] = nil }
            add(
                offer, at: promise.signedAt, promise.evidence, knownFrom: period?.start ?? .min,
                product: promise.columns.renewalProductID)
            running[offer]?.promisedAt = promise.signedAt
            if isTold { running[offer]?.isTold = true }
        }
    }

    /// Forgets what runs when the customer accepted an offer that the notification does not name: what follows is that offer.
    private mutating func forget(before time: Int64) {
        while let next = nameless.first, next < time {
            nameless.removeFirst()
            running = running.filter { $0.value.isPromise && !$0.value.isTold }
            for offer in running.keys { running[offer]?.isTold = true }
        }
    }

    /// Adds the offer of a period, and forgets the offers that it does not go on with.
    private mutating func add(_ period: Period, after last: Period?) {
        let isPurchase = period.columns.reason == "PURCHASE"
        if isPurchase, let last, abs(period.start - last.end) > last.tolerance { running = [:] }
        let offer = Redemption.Offer(period.columns.offerType, period.columns.offerIdentifier)
        running = running.filter { $0.key == offer }
        guard let offer else { return }
        // A renewal may go on with the offer of the period before.
        let knownFrom = isPurchase ? period.start : last?.start ?? .min
        let at = min(period.start, period.first.signedAt)
        add(offer, at: at, period.first, knownFrom: knownFrom, product: period.columns.productID)
        if period.columns.offerDiscountType.map({ $0 == Self.repeated }) ?? true {
            running[offer]?.isPromise = false
            running[offer]?.promisedAt = .min
        } else {
            running[offer] = nil
        }
    }

    /// The `offerDiscountType` of an offer that each of its periods repeats.
    private static let repeated = "PAY_AS_YOU_GO"

    private mutating func add(
        _ offer: Redemption.Offer, at time: Int64, _ evidence: Evidence, knownFrom: Int64, product: String?
    ) {
        if var known = running[offer] {
            found[known.place].at = min(found[known.place].at, time)
            found[known.place].evidence.append(evidence)
            known.product = product
            running[offer] = known
            return
        }
        running[offer] = Running(place: found.count, product: product)
        found.append(Redemption(offer: offer, at: time, evidence: [evidence], knownFrom: knownFrom))
    }
}
