internal import NotificationStore

/// The notifications `OFFER_REDEEMED` about an offer for the coming period.
///
/// One about an offer that began at once has a purchase with the offer, which tells of the redemption by itself.
struct OfferAnnouncements {
    /// The names of the renewal infos in them. Such a renewal info promises the offer.
    private(set) var promises: Set<PayloadName> = []
    /// The times of those without a renewal info.
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

    /// Returns the time from which on Apple signs payloads that know of a period. A promise that Apple signed before the first
    /// copy of the period's transaction is about that period, however short the time between the two.
    func begin(of period: Period, among renewals: ArraySlice<HistoryPayload<RenewalColumns>>) -> Int64 {
        let begin = period.announcedAt
        guard !promises.isEmpty else { return begin }
        let charge = min(period.start, period.first.signedAt)
        let last = renewals.prefix { $0.signedAt < charge }.last { promises.contains($0.evidence.name) }
        return last.map { max(begin, $0.signedAt + 1) } ?? begin
    }

    /// By how much the time of a purchase and that of its notification may differ.
    private static let purchaseMilliseconds: Int64 = 60_000
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

    /// True when an `OFFER_REDEEMED` tells of an offer that no payload names. The offer may have any type but the introductory
    /// one, which only a purchase has.
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
