internal import NotificationStore

/// A refund of one transaction.
struct Refund: Sendable, Hashable {
    /// How much of the price Apple gave back.
    enum Share: Sendable, Hashable {
        /// All of it.
        case full
        /// Less than all of it.
        case part
        /// The payloads do not say how much.
        case unknown
    }

    /// `revocationDate`, or `signedDate` of the notification when no transaction shows the refund.
    var at: Int64
    /// How much of the price.
    var share: Share
    /// The payload that shows the refund.
    var evidence: Evidence
}

/// The refunds that no later payload takes back, by the `transactionId`.
struct Refunds: Sendable {
    private(set) var all: [String: Refund] = [:]
    /// The transactions of which Apple refunded seats. Only a notification shows such a refund.
    private(set) var seats: Set<String> = []
    /// The latest of these refunds, by the `transactionId`.
    private var seatRefunds: [String: Refund] = [:]
    /// True when Apple refunded a transaction or took a refund back, and no payload says which transaction it was. The
    /// transaction of such a notification failed its check.
    private(set) var hasUnnamed = false
    /// The same for a refund of seats.
    private(set) var hasUnnamedSeats = false

    init(_ story: Story) {
        let periods = story.periods + story.seatAdditions
        for period in periods where period.isRefund {
            all[period.id] = Refund(
                at: period.columns.revokedAt ?? period.copy.signedAt,
                share: period.refundShare,
                evidence: period.copy.evidence
            )
        }
        var whole: Set<String> = []
        for notification in story.notifications {
            guard let id = notification.columns.transactionID else {
                addUnnamed(notification, periods)
                continue
            }
            switch (notification.columns.type, notification.columns.subtype) {
            case ("REFUND", "SEATS"): addSeats(id, notification.evidence)
            case ("REFUND", _):
                whole.insert(id)
                add(id, notification.evidence, periods)
            case ("REFUND_REVERSED", _):
                // The latest refund is taken back. One of seats before it stays.
                let rest = whole.remove(id) == nil ? nil : seatRefunds[id]
                if all[id].map({ $0.evidence < notification.evidence }) ?? false { all[id] = rest }
                if rest == nil { seatRefunds[id] = nil }
            default: break
            }
        }
    }

    /// Returns the refund of a period; nil when Apple gave nothing back.
    subscript(period: Period) -> Refund? { all[period.id] }

    /// Returns when the customer had a period last: its end, or a refund before that. A refund of seats ends nothing.
    func endOfService(of period: Period) -> Int64 {
        guard let refund = all[period.id] else { return period.end }
        let end = seats.contains(period.id) ? period.columns.revokedAt : refund.at
        return min(period.end, end ?? period.end)
    }

    /// Notes a refund of an unknown transaction. Copies of all transactions that Apple signed later show it, unless it was one of
    /// seats.
    private mutating func addUnnamed(_ notification: HistoryPayload<NotificationColumns>, _ periods: [Period])
    {
        switch (notification.columns.type, notification.columns.subtype) {
        case ("REFUND", "SEATS"): hasUnnamedSeats = true
        case ("REFUND", _), ("REFUND_REVERSED", _):
            let isShown = periods.allSatisfy { !$0.isOwn || notification.evidence < $0.copy.evidence }
            if !isShown { hasUnnamed = true }
        default: break
        }
    }

    /// Adds a refund of seats. It leaves the transaction valid.
    private mutating func addSeats(_ id: String, _ evidence: Evidence) {
        seats.insert(id)
        let refund = Refund(at: evidence.signedAt, share: .part, evidence: evidence)
        seatRefunds[id] = refund
        guard let known = all[id] else {
            all[id] = refund
            return
        }
        all[id]?.at = max(known.at, evidence.signedAt)
        all[id]?.evidence = max(known.evidence, evidence)
    }

    /// Adds a refund that only a notification shows. A copy of the transaction that Apple signed later decides instead.
    private mutating func add(_ id: String, _ evidence: Evidence, _ periods: [Period]) {
        let period = periods.first { $0.id == id }
        if let period {
            guard period.isOwn, all[id] == nil, period.copy.evidence < evidence else { return }
        }
        all[id] = Refund(at: evidence.signedAt, share: .unknown, evidence: evidence)
    }
}
