internal import NotificationStore

/// One purchase, with the seats that were added to it. Apple signs a transaction again when it changes; the latest copy
/// counts.
final class Period: Sendable {
    /// The latest copy, with what it lacks and an earlier copy said.
    let copy: HistoryPayload<TransactionColumns>
    let first: Evidence
    let ids: [String]
    let start: Int64
    let end: Int64
    /// The end before Apple extended the period, as far as a copy shows it.
    let paidUntil: Int64
    /// True when the customer of the subscriber paid, and not a family member or an organization.
    let isOwn: Bool
    let additions: [Period]
    let revokedSeatsAt: Int64?
    let seatsAddedAt: Int64?

    var columns: TransactionColumns { copy.columns }

    var id: String { ids[0] }

    var transactions: [Period] { [self] + additions }

    static let type = "Auto-Renewable Subscription"

    /// `additionalTransactionReason` of every transaction of a period to which seats were added.
    static let seatAddition = "SEAT_ADDITION"

    /// The times with which this program reckons. Sums and differences of them fit.
    static let times: ClosedRange<Int64> = 0...(1 << 53)

    init?(_ purchase: Purchase) {
        let columns = purchase.latest.columns
        guard columns.type == Self.type, let start = columns.purchasedAt, let end = columns.expiresAt,
            start <= end, Self.times.contains(start), Self.times.contains(end)
        else { return nil }
        copy = purchase.latest
        first = purchase.first
        ids = purchase.ids
        self.start = start
        self.end = end
        paidUntil = max(start, min(end, purchase.paidUntil ?? end))
        isOwn = columns.ownership != "FAMILY_SHARED" && columns.ownership != "ASSIGNED"
        additions = []
        revokedSeatsAt = purchase.revokedSeatsAt
        seatsAddedAt = purchase.seatsAddedAt
    }

    init(_ period: Period, additions: [Period]) {
        (copy, first, ids) = (period.copy, period.first, period.ids)
        (start, end, isOwn) = (period.start, period.end, period.isOwn)
        paidUntil = period.paidUntil
        self.additions = additions
        revokedSeatsAt = period.revokedSeatsAt
        seatsAddedAt = period.seatsAddedAt
    }

    /// True when Apple says that this is one of several transactions of its period.
    var hasAddedSeats: Bool { columns.additionalReason == Self.seatAddition }

    /// True when Apple says that the period has several transactions, and one of them is unknown.
    var lacksTransactions: Bool {
        seatsAddedAt.map { time in !additions.contains { $0.announcedAt <= time } } ?? false
    }

    /// Both end at the same time. After an extension, the latest copies may have different ends.
    func addsSeats(to period: Period) -> Bool {
        guard isOwn == period.isOwn, isSamePlan(as: period) else { return false }
        // A copy from before the mark lacks it.
        let areSeats = hasAddedSeats || (columns.reason == "PURCHASE" && columns.quantity ?? 1 > 1)
        if end == period.end { return areSeats }
        guard hasAddedSeats else { return false }
        let wasTakenBack = period.columns.revokedAt.map { $0 <= start } ?? false
        return start < period.end && columns.reason != "RENEWAL" && !period.isUpgraded && !wasTakenBack
    }

    private func isSamePlan(as period: Period) -> Bool {
        func mayBeEqual(_ left: String?, _ right: String?) -> Bool {
            left == nil || right == nil || left == right
        }
        return mayBeEqual(columns.productID, period.columns.productID)
            && mayBeEqual(columns.sku, period.columns.sku)
    }

    func isNamed(_ id: String?) -> Bool {
        guard let id else { return false }
        return ids.contains(id) || additions.contains { $0.ids.contains(id) }
    }

    /// When Apple took the period back: all of its transactions. Nil while one of them is left, or may be.
    var revokedAt: Int64? {
        guard let own = columns.revokedAt, !lacksTransactions else { return nil }
        var latest = own
        for addition in additions {
            guard let time = addition.columns.revokedAt else { return nil }
            latest = max(latest, time)
        }
        return latest
    }

    /// True when the copy says nothing about the ownership, or something that this program knows.
    var isOwnershipKnown: Bool {
        columns.ownership.map { $0 == "PURCHASED" || $0 == "FAMILY_SHARED" || $0 == "ASSIGNED" } ?? true
    }

    /// A copy without a type and without a percentage is about all of it.
    var refundShare: Refund.Share {
        if columns.revocationType == "REFUND_FULL" { return .full }
        if let percentage = columns.revocationPercentage { return percentage >= 100_000 ? .full : .part }
        switch columns.revocationType {
        case nil: return .full
        case "REFUND_PRORATED": return .part
        default: return .unknown
        }
    }

    /// Access that a family or an organization took back is no refund.
    var isRefund: Bool {
        columns.revokedAt != nil && isOwn && columns.revocationType != "FAMILY_REVOKE"
            && columns.revocationType != "ASSIGNMENT_REVOKE"
    }

    /// The time from which on Apple signs payloads that know of this period. Apple charges a renewal up to a day before the
    /// period begins, and signs the renewal info for the period after it within a minute of the transaction.
    var announcedAt: Int64 { min(start, first.signedAt - Self.signingMilliseconds) }

    private static let signingMilliseconds: Int64 = 60_000

    /// How much later a period may begin and still follow without a gap; periods of the sandbox last minutes.
    var tolerance: Int64 { min((end - start) / 10, 3_600_000) }

    /// The order of periods: by their starts. A period that Apple charged ahead has its place by the charge, because the
    /// customer may upgrade before it begins. A period that the customer left by an upgrade comes before one that began at
    /// the same time.
    static func precedes(_ left: Period, _ right: Period) -> Bool {
        let (begin, other) = (min(left.start, left.first.signedAt), min(right.start, right.first.signedAt))
        if begin != other { return begin < other }
        if left.isUpgraded != right.isUpgraded { return left.isUpgraded }
        if left.start != right.start { return left.start < right.start }
        if left.end != right.end { return left.end < right.end }
        return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
    }

    var isUpgraded: Bool { columns.isUpgraded == true }

    /// Apple charges a renewal at most this long before it begins.
    private static let aheadMilliseconds: Int64 = 86_400_000

    /// Returns true when a period is an upgrade of this one, which Apple had charged and which had not begun. The copies do
    /// not show the charge when Apple signed all of them later.
    func wasLeft(for upgrade: Period) -> Bool {
        isUpgraded && start < upgrade.end && columns.reason == "RENEWAL"
            && upgrade.columns.reason == "PURCHASE"
            && upgrade.start < start && start - upgrade.start <= Self.aheadMilliseconds
    }
}
