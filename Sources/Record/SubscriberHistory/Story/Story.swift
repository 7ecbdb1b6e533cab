internal import NotificationStore

/// Payloads that Apple signed later than that time do not count. The same whatever the order in which the payloads
/// came.
struct Story: Sendable {
    let now: Int64
    /// The running period, or the last one if the subscription has ended. Nil when no known period has begun (Apple
    /// charges a renewal up to a day before the period begins) or when a later one is unknown.
    private(set) var running: Period?
    let periods: [Period]
    let renewals: [HistoryPayload<RenewalColumns>]
    let notifications: [HistoryPayload<NotificationColumns>]
    private let renewalOfNotification: [String: String]
    /// True when a transaction of the subscriber has no usable dates or identifier.
    let hasUnusableTransaction: Bool
    private let syncedAt: [String: Int64]
    private let covered: [TimeRange]
    /// The transactions that came in a notification, which the store may have deleted since.
    let announced: Set<String>
    /// The times of the purchases of which no transaction is known, because it failed its check.
    let unknownPurchases: [Int64]

    init(_ payloads: SubscriberPayloads, now: Int64) {
        self.now = now
        let copies = Self.ordered(payloads.transactions, now)
        let notifications = Self.ordered(payloads.notifications, now)
        var reversals: [String: Evidence] = [:]
        for one in notifications where one.columns.type == "REFUND_REVERSED" {
            if let id = one.columns.transactionID { reversals[id] = one.evidence }
        }
        let transactions = Transactions(copies, reversals: reversals)
        var announced: Set<String> = []
        announced.reserveCapacity(copies.count)
        for copy in copies where payloads.announced.contains(copy.evidence.name) {
            if let id = copy.columns.transactionID { announced.insert(id) }
        }
        self.announced = announced
        periods = transactions.periods
        hasUnusableTransaction = transactions.hasUnusable
        let renewals = Self.ordered(payloads.renewals, now)
        (self.renewals, self.notifications) =
            transactions.others.isEmpty
            ? (renewals, notifications)
            : Self.withoutOthers(renewals, notifications, payloads.renewalOfNotification, transactions)
        renewalOfNotification = payloads.renewalOfNotification
        syncedAt = payloads.syncedAt.filter { $0.value <= now }
        covered = payloads.covered
        unknownPurchases = Self.unknownPurchases(self.notifications, periods)
        running = runningPeriod()
    }

    /// Leaves out what is about other products than subscriptions. Nothing is derived from them.
    private static func withoutOthers(
        _ renewals: [HistoryPayload<RenewalColumns>], _ notifications: [HistoryPayload<NotificationColumns>],
        _ renewalOfNotification: [String: String], _ transactions: Transactions
    ) -> ([HistoryPayload<RenewalColumns>], [HistoryPayload<NotificationColumns>]) {
        let left = notifications.filter { one in
            one.columns.transactionID.map { !transactions.others.contains($0) } ?? true
        }
        let names = Set(left.compactMap { renewalOfNotification[$0.evidence.name] })
        let leftOut = Set(notifications.compactMap { renewalOfNotification[$0.evidence.name] }).subtracting(
            names)
        let kept = renewals.filter { one in
            !leftOut.contains(one.evidence.name)
                && one.columns.productID.map { !transactions.otherProducts.contains($0) } ?? true
        }
        return (kept, left)
    }

    private static func unknownPurchases(
        _ notifications: [HistoryPayload<NotificationColumns>], _ periods: [Period]
    ) -> [Int64] {
        notifications.filter { notification in
            guard notification.columns.type == "SUBSCRIBED", notification.columns.transactionID == nil else {
                return false
            }
            return !periods.contains { abs($0.start - notification.signedAt) <= purchaseMilliseconds }
        }.map(\.signedAt)
    }

    /// By how much the time of a purchase and that of its notification may differ.
    private static let purchaseMilliseconds: Int64 = 60_000

    func covers(_ range: TimeRange) -> Bool {
        covered.contains { $0.from <= range.from && range.to <= $0.to }
    }

    /// Returns the time up to which Apple's server gave the whole history of the subscription to which a period belongs; nil if
    /// it never did. After a move to Advanced Commerce, the history lacks the periods from before the move.
    func syncedAt(_ period: Period) -> Int64? {
        period.columns.originalTransactionID.flatMap { syncedAt[$0] }
    }

    private static func ordered<Columns>(_ payloads: [HistoryPayload<Columns>], _ now: Int64)
        -> [HistoryPayload<Columns>]
    {
        var result: [HistoryPayload<Columns>] = []
        result.reserveCapacity(payloads.count)
        var isOrdered = true
        for payload in payloads where 0 <= payload.signedAt && payload.signedAt <= now {
            if let last = result.last, payload.evidence <= last.evidence { isOrdered = false }
            result.append(payload)
        }
        if isOrdered { return result }
        result.sort { $0.evidence < $1.evidence }
        var unique: [HistoryPayload<Columns>] = []
        for payload in result where unique.last?.evidence != payload.evidence { unique.append(payload) }
        return unique
    }

    func renewal(of notification: HistoryPayload<NotificationColumns>) -> HistoryPayload<RenewalColumns>? {
        guard let name = renewalOfNotification[notification.evidence.name] else { return nil }
        return renewals.last { $0.evidence.name == name }
    }

    /// Nil when a later period is not known. A family may share a subscription with a customer of their own; their own
    /// period then comes first.
    private func runningPeriod() -> Period? {
        guard let last = periods.last(where: { $0.start <= now }), !isFollowed(last) else { return nil }
        if last.isOwn { return last.isUpgraded ? nil : last }
        let own = periods.last {
            $0.isOwn && $0.start <= now && $0.revokedAt == nil && !$0.isUpgraded
        }
        // Behind the ends of both, the one that ended later is the last one.
        return own.flatMap { now < $0.end || (last.end <= now && last.end < $0.end) ? $0 : nil } ?? last
    }

    /// Returns true when a payload from after a period tells of a later period that is not known.
    private func isFollowed(_ period: Period) -> Bool {
        if unknownPurchases.contains(where: { period.start < $0 }) { return true }
        guard let renewal = renewals.last, period.announcedAt <= renewal.signedAt else { return false }
        return hidesPeriod(renewal)
    }

    /// Returns true when a renewal info tells of a purchase that ends behind every known period.
    func hidesPeriod(_ renewal: HistoryPayload<RenewalColumns>) -> Bool {
        guard let renewsAt = renewal.columns.renewsAt else { return false }
        return periods.allSatisfy { $0.isUpgraded || $0.end + $0.tolerance < renewsAt }
    }

    /// The renewal infos from when the customer of the subscriber paid. Those of other times tell what somebody else accepted.
    var ownRenewals: [HistoryPayload<RenewalColumns>] {
        if periods.allSatisfy(\.isOwn) { return renewals }
        return renewals.filter { renewal in
            let begun = periods.filter { $0.announcedAt <= renewal.signedAt }
            guard let last = begun.last ?? periods.first, !last.isOwn else { return true }
            return begun.contains { own in
                let end = min(own.end, own.revokedAt ?? .max)
                return own.isOwn && !own.isUpgraded && renewal.signedAt < end
            }
        }
    }

    var reasonForNoPeriod: MissingReason { periods.isEmpty ? .noTransaction : .historyIncomplete }

    /// Such a payload says nothing about the running period or the one after it.
    func isStale(_ evidence: Evidence) -> Bool { running.map { evidence.signedAt < $0.announcedAt } ?? false }

    /// The latest renewal info; nil when it is older than the running period.
    var renewal: HistoryPayload<RenewalColumns>? {
        renewals.last.flatMap { isStale($0.evidence) ? nil : $0 }
    }
}
