internal import NotificationStore

/// A period of a subscription: the latest signed copy of one transaction.
///
/// Apple signs a transaction again when something about it changes: a refund, an upgrade, an extension. The latest copy
/// counts.
final class Period: Sendable {
    /// The latest copy.
    let copy: HistoryPayload<TransactionColumns>
    /// The earliest copy: the first evidence of the period.
    let first: Evidence
    /// `transactionId`.
    let id: String
    /// `purchaseDate`.
    let start: Int64
    /// `expiresDate`.
    let end: Int64
    /// True when the customer of the subscriber paid, and not a family member or an organization.
    let isOwn: Bool

    var columns: TransactionColumns { copy.columns }

    /// The type of the transactions that are periods.
    static let type = "Auto-Renewable Subscription"

    /// The times with which this program reckons. Sums and differences of them fit.
    static let times: ClosedRange<Int64> = 0...(1 << 53)

    /// Makes a period from the latest copy of a transaction; nil when the transaction is no period of a subscription or has
    /// no dates.
    init?(_ copy: HistoryPayload<TransactionColumns>, first: Evidence) {
        guard copy.columns.type == Self.type, let id = copy.columns.transactionID,
            let start = copy.columns.purchasedAt, let end = copy.columns.expiresAt, start <= end,
            Self.times.contains(start), Self.times.contains(end)
        else { return nil }
        self.copy = copy
        self.first = first
        self.id = id
        self.start = start
        self.end = end
        isOwn = copy.columns.ownership != "FAMILY_SHARED" && copy.columns.ownership != "ASSIGNED"
    }

    /// True for a transaction that added seats to a period. The period has a transaction of its own.
    var isSeatAddition: Bool { columns.additionalReason == "SEAT_ADDITION" }

    /// True when the copy says nothing about the ownership, or something that this program knows.
    var isOwnershipKnown: Bool {
        columns.ownership.map { $0 == "PURCHASED" || $0 == "FAMILY_SHARED" || $0 == "ASSIGNED" } ?? true
    }

    /// How much of the price Apple gave back, when the copy is about a refund. A copy without a type and without a
    /// percentage is about all of it.
    var refundShare: Refund.Share {
        if columns.revocationType == "REFUND_FULL" { return .full }
        if let percentage = columns.revocationPercentage { return percentage >= 100_000 ? .full : .part }
        switch columns.revocationType {
        case nil: return .full
        case "REFUND_PRORATED": return .part
        default: return .unknown
        }
    }

    /// True when the copy says that Apple gave money back, in full or in part. Access that a family or an organization took
    /// back is no refund.
    var isRefund: Bool {
        columns.revokedAt != nil && isOwn && columns.revocationType != "FAMILY_REVOKE"
            && columns.revocationType != "ASSIGNMENT_REVOKE"
    }

    /// The time from which on Apple signs payloads that know of this period. Apple charges a renewal up to a day before the
    /// period begins, and signs the renewal info for the period after it within a minute of the transaction.
    var announcedAt: Int64 { min(start, first.signedAt - Self.signingMilliseconds) }

    private static let signingMilliseconds: Int64 = 60_000

    /// How much later than expected a period may begin and still follow without a gap. It grows with the period, because
    /// periods of the sandbox last minutes.
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

    /// True when the copy says that the customer left the period by an upgrade.
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
