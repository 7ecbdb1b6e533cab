internal import NotificationStore

struct Refund: Sendable, Hashable {
    enum Share: Sendable, Hashable {
        case full
        case part
        case unknown
    }

    /// `revocationDate`, or `signedDate` of the notification when no transaction shows the refund.
    var at: Int64
    var share: Share
    var evidence: Evidence
    /// False when no payload says when Apple gave the money back.
    var isDated = true
}

/// The refunds that no later payload takes back, by the first `transactionId` of the purchase.
struct Refunds: Sendable {
    private(set) var all: [String: Refund] = [:]
    /// The transactions of which Apple refunded seats, by a notification. A refund of seats leaves the transaction valid.
    private(set) var seats: Set<String> = []
    /// The latest of these refunds, by the `transactionId`. A refund that was reversed is none.
    private(set) var seatRefunds: [String: Refund] = [:]
    /// When Apple last refunded seats or took such a refund back.
    private var seatsChangedAt: [String: Int64] = [:]
    /// True when Apple refunded a transaction or took a refund back, and no payload says which transaction it was. The
    /// transaction of such a notification failed its check.
    private(set) var hasUnnamed = false
    /// When Apple refunded seats of such a transaction last; nil if it never did.
    private(set) var unnamedSeatsAt: Int64?

    init(_ story: Story) {
        let purchases = story.periods.flatMap(\.transactions)
        var names: [String: String] = [:]
        for purchase in purchases {
            for id in purchase.ids.dropFirst() { names[id] = purchase.id }
            guard purchase.isRefund else { continue }
            all[purchase.id] = Refund(
                at: purchase.columns.revokedAt ?? purchase.copy.signedAt, share: purchase.refundShare,
                evidence: purchase.copy.evidence)
        }
        var whole: Set<String> = []
        for notification in story.notifications {
            guard let named = notification.columns.transactionID else {
                addUnnamed(notification, purchases)
                continue
            }
            let id = names[named] ?? named
            switch (notification.columns.type, notification.columns.subtype) {
            case ("REFUND", "SEATS"): addSeats(id, notification.evidence)
            case ("REFUND", _):
                whole.insert(id)
                add(id, notification.evidence, purchases)
            case ("REFUND_REVERSED", _):
                // The latest refund is taken back. One of seats before it stays.
                let rest = whole.remove(id) == nil ? nil : seatRefunds[id]
                if all[id].map({ $0.evidence < notification.evidence }) ?? false { all[id] = rest }
                if rest == nil, seatRefunds[id] != nil {
                    seatRefunds[id] = nil
                    seatsChangedAt[id] = notification.signedAt
                }
            default: break
            }
        }
        for purchase in purchases where all[purchase.id] == nil && purchase.isOwn {
            guard let count = revokedSeats(of: purchase), count > 0 else { continue }
            all[purchase.id] = Refund(
                at: purchase.revokedSeatsAt ?? purchase.copy.signedAt, share: .part,
                evidence: purchase.copy.evidence, isDated: false)
        }
    }

    func revokedSeats(of purchase: Period) -> Int64? {
        let shown = purchase.columns.revokedSeatQuantity
        guard let changedAt = seatsChangedAt[purchase.id] else { return shown ?? 0 }
        // Apple signs the copy in a notification a moment before or after the notification.
        if let shown, let at = purchase.revokedSeatsAt, changedAt - Self.signingMilliseconds <= at {
            return shown
        }
        return seatRefunds[purchase.id] == nil ? 0 : nil
    }

    private static let signingMilliseconds: Int64 = 60_000

    /// Returns true when Apple took a purchase back, by itself, whatever is left of its period.
    func isTakenBack(_ purchase: Period) -> Bool {
        guard purchase.columns.revokedAt != nil else { return false }
        return !purchase.isRefund || all[purchase.id] != nil
    }

    /// How much of a purchase Apple gave back; nil when it gave nothing back. All seats are all of the price.
    func share(_ purchase: Period) -> Refund.Share? {
        guard let refund = all[purchase.id] else { return nil }
        if refund.share == .part, let quantity = purchase.columns.quantity, quantity > 0,
            let revoked = revokedSeats(of: purchase), quantity <= revoked
        {
            return .full
        }
        return refund.share
    }

    /// Its end, or the refund of all its purchases before that. A refund of seats ends nothing.
    func endOfService(of period: Period) -> Int64 {
        min(period.end, period.transactions.map(endOfPurchase).max() ?? period.end)
    }

    private func endOfPurchase(_ purchase: Period) -> Int64 {
        guard let refund = all[purchase.id] else { return purchase.end }
        let isOfSeats = seats.contains(purchase.id) || !refund.isDated
        return min(purchase.end, (isOfSeats ? purchase.columns.revokedAt : refund.at) ?? purchase.end)
    }

    /// Copies of all transactions that Apple signed later show it, unless it was one of seats.
    private mutating func addUnnamed(_ notification: HistoryPayload<NotificationColumns>, _ periods: [Period])
    {
        switch (notification.columns.type, notification.columns.subtype) {
        case ("REFUND", "SEATS"): unnamedSeatsAt = notification.signedAt
        case ("REFUND", _), ("REFUND_REVERSED", _):
            let isShown = periods.allSatisfy { !$0.isOwn || notification.evidence < $0.copy.evidence }
            if !isShown { hasUnnamed = true }
        default: break
        }
    }

    private mutating func addSeats(_ id: String, _ evidence: Evidence) {
        seats.insert(id)
        seatsChangedAt[id] = evidence.signedAt
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
        let period = periods.first { $0.ids.contains(id) }
        if let period {
            guard period.isOwn, all[id] == nil, period.copy.evidence < evidence else { return }
        }
        all[id] = Refund(at: evidence.signedAt, share: .unknown, evidence: evidence)
    }
}
