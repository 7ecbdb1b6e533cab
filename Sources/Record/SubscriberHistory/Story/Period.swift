internal import NotificationStore

/// A period of a subscription: the latest signed copy of one transaction.
///
/// Apple signs a transaction again when something about it changes: a refund, an upgrade, an extension. The latest copy
/// counts.
struct Period: Sendable, Hashable {
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

    var columns: TransactionColumns { copy.columns }

    /// The type of the transactions that are periods.
    private static let type = "Auto-Renewable Subscription"

    /// Makes a period from the copies of one transaction; nil when the transaction is no period of a subscription or has no
    /// dates.
    init?(_ copies: [HistoryPayload<TransactionColumns>]) {
        guard let copy = copies.max(by: { $0.evidence < $1.evidence }),
            let first = copies.map(\.evidence).min(), copy.columns.type == Self.type,
            let id = copy.columns.transactionID, let start = copy.columns.purchasedAt,
            let end = copy.columns.expiresAt, start <= end
        else { return nil }
        self.copy = copy
        self.first = first
        self.id = id
        self.start = start
        self.end = end
    }

    /// True for a transaction that added seats to a period. The period has a transaction of its own.
    var isSeatAddition: Bool { columns.additionalReason == "SEAT_ADDITION" }

    /// True when the customer of the subscriber paid, and not a family member or an organization.
    var isOwn: Bool { columns.ownership != "FAMILY_SHARED" && columns.ownership != "ASSIGNED" }

    /// True when Apple gave the whole price back. A copy without a type or a share of the refund is about all of it.
    var isRefundedInFull: Bool {
        guard columns.revokedAt != nil, isRefund else { return false }
        if columns.revocationType == "REFUND_PRORATED" { return columns.revocationPercentage == 100_000 }
        return true
    }

    /// True when the copy says that Apple gave money back, in full or in part. Access that a family or an organization took
    /// back is no refund.
    var isRefund: Bool {
        columns.revokedAt != nil && isOwn && columns.revocationType != "FAMILY_REVOKE"
            && columns.revocationType != "ASSIGNMENT_REVOKE"
    }

    /// How much later than expected a period may begin and still follow without a gap. It grows with the period, because
    /// periods of the sandbox last minutes.
    var tolerance: Int64 { min((end - start) / 10, 3_600_000) }

    /// The order of periods: by their starts.
    static func precedes(_ left: Period, _ right: Period) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.end != right.end { return left.end < right.end }
        return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
    }
}
