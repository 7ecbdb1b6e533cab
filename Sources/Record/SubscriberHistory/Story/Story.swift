internal import NotificationStore

/// What the payloads of one subscriber say at a time: ordered, with one entry for each period.
///
/// Payloads that Apple signed later than that time do not count. The story is the same whatever the order in which the
/// payloads came, and however often.
struct Story: Sendable {
    /// The time, milliseconds since 1970. Moving it on does not add payloads.
    var now: Int64
    /// The periods that were paid or given, in the order of their starts, without seat additions.
    let periods: [Period]
    /// The transactions that added seats.
    let seatAdditions: [Period]
    /// The renewal infos in order.
    let renewals: [HistoryPayload<RenewalColumns>]
    /// The notifications in order.
    let notifications: [HistoryPayload<NotificationColumns>]
    /// The renewal info of a notification, by the name of the notification.
    let renewalOfNotification: [String: HistoryPayload<RenewalColumns>]
    /// True when a transaction of the subscriber has no usable dates or identifier.
    let hasUnusableTransaction: Bool
    /// The time up to which Apple's server gave the whole history; nil if it never did.
    let syncedAt: Int64?
    /// The ranges for which every notification is in the store.
    let covered: [TimeRange]

    /// Orders the payloads that Apple had signed by `now`.
    init(_ payloads: SubscriberPayloads, now: Int64) {
        self.now = now
        let transactions = Self.ordered(payloads.transactions, now)
        let copies = Dictionary(grouping: transactions) { $0.columns.transactionID }
        var periods: [Period] = []
        var isUnusable = false
        for (id, copies) in copies {
            if id != nil, let period = Period(copies) {
                periods.append(period)
            } else if copies.contains(where: Self.isSubscription) {
                isUnusable = true
            }
        }
        periods.sort(by: Period.precedes)
        self.periods = periods.filter { !$0.isSeatAddition }
        seatAdditions = periods.filter(\.isSeatAddition)
        hasUnusableTransaction = isUnusable
        renewals = Self.ordered(payloads.renewals, now)
        notifications = Self.ordered(payloads.notifications, now)
        let byName = Dictionary(renewals.map { ($0.evidence.name, $0) }) { first, _ in first }
        renewalOfNotification = payloads.renewalOfNotification.compactMapValues { byName[$0] }
        syncedAt = payloads.syncedAt.flatMap { $0 <= now ? $0 : nil }
        covered = payloads.covered
    }

    /// The payloads that were signed by `now`, in order and without repetitions.
    private static func ordered<Columns>(
        _ payloads: [HistoryPayload<Columns>],
        _ now: Int64
    ) -> [HistoryPayload<Columns>] {
        let sorted = payloads.filter { 0 <= $0.signedAt && $0.signedAt <= now }.sorted {
            $0.evidence < $1.evidence
        }
        var result: [HistoryPayload<Columns>] = []
        for payload in sorted where result.last?.evidence != payload.evidence { result.append(payload) }
        return result
    }

    private static func isSubscription(_ payload: HistoryPayload<TransactionColumns>) -> Bool {
        payload.unfit.contains("type") || payload.columns.type == "Auto-Renewable Subscription"
    }

    /// The running period, or the last one if the subscription has ended. Nil when no known period has begun: Apple charges
    /// a renewal up to a day before the period begins.
    ///
    /// A family may share a subscription with a customer who has one of their own. Their own period then comes first.
    var running: Period? {
        guard let last = periods.last(where: { $0.start <= now }), !last.isOwn else {
            return periods.last { $0.start <= now }
        }
        let own = periods.last {
            $0.isOwn && $0.start <= now && now < $0.end && $0.columns.revokedAt == nil
                && $0.columns.isUpgraded != true
        }
        return own ?? last
    }

    /// Why there is no running period.
    var reasonForNoPeriod: MissingReason { periods.isEmpty ? .noTransaction : .historyIncomplete }

    /// Returns true when Apple signed a payload before the running period began. Such a payload says nothing about that
    /// period or the one after it.
    func isStale(_ evidence: Evidence) -> Bool { running.map { evidence.signedAt < $0.announcedAt } ?? false }

    /// The latest renewal info; nil when it is older than the running period.
    var renewal: HistoryPayload<RenewalColumns>? {
        renewals.last.flatMap { isStale($0.evidence) ? nil : $0 }
    }

    /// Returns true when the customer left a period before its end for another product.
    func wasUpgraded(_ place: Int) -> Bool {
        if periods[place].columns.isUpgraded == true { return true }
        guard place + 1 < periods.count, periods[place].columns.revokedAt == nil else { return false }
        let next = periods[place + 1]
        return next.columns.reason == "PURCHASE" && next.start < periods[place].end
    }
}
