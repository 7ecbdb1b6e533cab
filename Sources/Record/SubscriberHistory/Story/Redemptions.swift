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
    private struct Running {
        let place: Int
        var product: String?
        /// When Apple signed the latest renewal info of the running period that has the offer.
        var promisedAt = Int64.min
        /// True when a renewal info of the running period was the first evidence.
        var isPromise = true
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
                offer, at: promise.signedAt, knownFrom: period?.start ?? .min,
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

    private mutating func add(_ period: Period, after last: Period?) {
        let isPurchase = period.columns.reason == "PURCHASE"
        if isPurchase, let last, abs(period.start - last.end) > last.tolerance { running = [:] }
        let offer = Redemption.Offer(period.columns.offerType, period.columns.offerIdentifier)
        running = running.filter { $0.key == offer }
        guard let offer else { return }
        // A renewal may go on with the offer of the period before.
        let knownFrom = isPurchase ? period.start : last?.start ?? .min
        let at = min(period.start, period.first.signedAt)
        add(offer, at: at, knownFrom: knownFrom, product: period.columns.productID)
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
        _ offer: Redemption.Offer, at time: Int64, knownFrom: Int64, product: String?
    ) {
        if var known = running[offer] {
            found[known.place].at = min(found[known.place].at, time)
            known.product = product
            running[offer] = known
            return
        }
        running[offer] = Running(place: found.count, product: product)
        found.append(Redemption(offer: offer, at: time, knownFrom: knownFrom))
    }
}

/// An offer that the subscriber accepted once, however many periods it lasts.
struct Redemption: Sendable, Hashable {
    struct Offer: Sendable, Hashable {
        let type: Int64
        let identifier: String?

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
    var at: Int64
    /// The time from which on nothing may be missing for this to be the whole redemption: payloads before it cannot show
    /// an earlier begin. `Int64.min` when no known period shows that.
    let knownFrom: Int64
}

/// One about an offer that began at once has a purchase with the offer, which tells of the redemption by itself.
struct OfferAnnouncements {
    /// The names of the renewal infos in them. Such a renewal info promises the offer.
    private(set) var promises: Set<String> = []
    private(set) var nameless: [Int64] = []

    init(_ story: Story) {
        for notification in story.notifications where notification.columns.type == "OFFER_REDEEMED" {
            if Self.isImmediate(notification, story) { continue }
            if let renewal = story.renewal(of: notification) {
                promises.insert(renewal.evidence.name)
            } else {
                nameless.append(notification.signedAt)
            }
        }
    }

    /// Returns true when the offer began with a purchase at the moment of the notification.
    static func isImmediate(_ notification: HistoryPayload<NotificationColumns>, _ story: Story) -> Bool {
        if notification.columns.subtype == "UPGRADE" { return true }
        guard let period = story.periods.first(where: { $0.isNamed(notification.columns.transactionID) })
        else { return false }
        return period.columns.reason == "PURCHASE" && period.columns.offerType != nil
            && abs(notification.signedAt - period.start) <= purchaseMilliseconds
    }

    /// A promise that Apple signed before the first copy of the period's transaction is about that period.
    func begin(of period: Period, among renewals: ArraySlice<HistoryPayload<RenewalColumns>>) -> Int64 {
        let begin = period.announcedAt
        guard !promises.isEmpty else { return begin }
        let charge = min(period.start, period.first.signedAt)
        let last = renewals.prefix { $0.signedAt < charge }.last { promises.contains($0.evidence.name) }
        return last.map { max(begin, $0.signedAt + 1) } ?? begin
    }

    private static let purchaseMilliseconds: Int64 = 60_000
}

extension Story {
    var unknownOffer: MissingReason? {
        func isUnfit(_ names: Set<String>) -> Bool {
            names.contains("offer_type") || names.contains("offer_identifier")
        }
        if periods.contains(where: { isUnfit($0.copy.unfit) }) { return .unfitValue }
        if renewals.contains(where: { isUnfit($0.unfit) }) { return .unfitValue }
        return hasUnnamedRedemption ? .noValue : nil
    }

    /// The offer may have any type but the introductory one, which only a purchase has.
    private var hasUnnamedRedemption: Bool {
        func isNamed(_ type: Int64?) -> Bool { type.map { $0 != Redemption.Offer.introductory } ?? false }
        return notifications.contains { notification in
            guard notification.columns.type == "OFFER_REDEEMED" else { return false }
            if isNamed(renewal(of: notification)?.columns.offerType) { return false }
            let time = notification.signedAt
            // The offer of a running period was accepted before, unless the period began with this notification.
            let own = periods.first { $0.isNamed(notification.columns.transactionID) }
            if isNamed(own?.columns.offerType), OfferAnnouncements.isImmediate(notification, self) {
                return false
            }
            let next = periods.first { $0.start > time }
            if isNamed(next?.columns.offerType) { return false }
            let end = next?.announcedAt ?? .max
            return !renewals.contains {
                (time..<max(time, end)).contains($0.signedAt) && isNamed($0.columns.offerType)
            }
        }
    }
}
