internal import Facts
internal import NotificationStore

extension FactDerivation {
    private struct PaidTime {
        var count: Int64 = 0
        var months = Months()
        /// False while every paid period is shorter than a day, as in Apple's Sandbox, where a month lasts minutes.
        var hasWholeDays = false
    }

    private enum Payment {
        case paid, unpaid
        case unknown(MissingReason)
    }

    func ofPaidPeriods() -> FactStatement {
        paidTime(.paidPeriods) { .known(.paidPeriods, .integer($0.count)) }
    }

    func ofPaidMonths() -> FactStatement {
        paidTime(.paidMonths) { time in
            if time.count > 0, !time.hasWholeDays { return .missing(.paidMonths, .noValue) }
            return .known(.paidMonths, .integer(time.months.whole))
        }
    }

    private func paidTime(_ fact: SubscriberFact, _ statement: (PaidTime) -> FactStatement) -> FactStatement {
        if let reason = unknownLife { return .missing(fact, reason) }
        if refunds.hasUnnamed { return .missing(fact, .noValue) }
        var time = PaidTime()
        // The end of the period that counted last. An upgrade that begins inside that period goes on with it; another upgrade
        // after that end is a period of its own.
        var countedUntil: Int64?
        let own = story.periods.filter(\.isOwn)
        for (place, period) in own.enumerated() {
            let next = place + 1 < own.count ? own[place + 1] : nil
            let payment = payment(of: period)
            if case .unknown(let reason) = payment { return .missing(fact, reason) }
            if !(place > 0 && isContinuation(period, of: own[place - 1])) { countedUntil = nil }
            guard case .paid = payment else { continue }
            if countedUntil.map({ period.start >= $0 }) ?? true {
                time.count += 1
                countedUntil = period.end
            }
            time.months.add(from: period.start, to: endOfUse(period, before: next))
            if period.end - period.start >= Months.day { time.hasWholeDays = true }
        }
        return statement(time)
    }

    private func endOfUse(_ period: Period, before next: Period?) -> Int64 {
        guard let next, wasUpgraded(period, to: next) else { return period.paidUntil }
        return min(period.paidUntil, max(period.start, next.start))
    }

    /// The customer paid a period when one of its purchases cost something and was not refunded in full.
    private func payment(of period: Period) -> Payment {
        var reason: MissingReason?
        for purchase in period.transactions {
            switch payment(ofPurchase: purchase) {
            case .paid: return .paid
            case .unpaid: continue
            case .unknown(let unknown): reason = reason ?? unknown
            }
        }
        if period.lacksTransactions { reason = reason ?? .seatsChanged }
        return reason.map { .unknown($0) } ?? .unpaid
    }

    private func payment(ofPurchase purchase: Period) -> Payment {
        if !purchase.copy.unfit.isDisjoint(with: Self.columnsOfPayment) { return .unknown(.unfitValue) }
        if !purchase.isOwnershipKnown { return .unknown(.unknownValue) }
        guard let price = purchase.columns.price else { return .unknown(.noPrice) }
        guard price > 0 else { return .unpaid }
        return switch refunds.share(purchase) {
        case .unknown: .unknown(.unknownValue)
        case .full: .unpaid
        case .part, nil: .paid
        }
    }

    private static let columnsOfPayment: Set = [
        "ownership", "additional_reason", "is_upgraded", "price", "revoked_at", "revocation_type",
        "revocation_percentage",
    ]

    private func isContinuation(_ period: Period, of last: Period) -> Bool {
        wasUpgraded(last, to: period) && period.start <= last.end
    }

    private func wasUpgraded(_ period: Period, to next: Period) -> Bool {
        if period.isUpgraded { return true }
        return period.revokedAt == nil && next.columns.reason == "PURCHASE" && next.start < period.end
    }

    /// The sum of the seats of the running period's purchases. A purchase that was taken back has none.
    func ofSeats() -> FactStatement {
        guard let running = story.running else { return .missing(.seats, story.reasonForNoPeriod) }
        if mayLackSeats(running) { return .missing(.seats, .seatsChanged) }
        if refunds.hasUnnamed { return .missing(.seats, .noValue) }
        var sum: Int64 = 0
        for purchase in running.transactions {
            if !purchase.copy.unfit.isDisjoint(with: Self.columnsOfSeats) {
                return .missing(.seats, .unfitValue)
            }
            if refunds.isTakenBack(purchase) { continue }
            guard let quantity = purchase.columns.quantity else { return .missing(.seats, .noValue) }
            guard let revoked = refunds.revokedSeats(of: purchase) else {
                return .missing(.seats, .seatsChanged)
            }
            guard revoked >= 0, revoked <= quantity else { return .missing(.seats, .unknownValue) }
            sum += quantity - revoked
        }
        return .known(.seats, .integer(sum))
    }

    private static let columnsOfSeats: Set = [
        "quantity", "revoked_seat_quantity", "additional_reason", "revoked_at",
    ]

    /// Returns true when a purchase of seats of the running period may be unknown, or a refund of them.
    private func mayLackSeats(_ running: Period) -> Bool {
        if let time = refunds.unnamedSeatsAt, running.announcedAt <= time { return true }
        // Apple says that the period has several transactions, and one is known, or its first one may be among the unknown.
        if running.lacksTransactions { return true }
        if !running.additions.isEmpty {
            if completeness.gaps.contains(where: { $0.to == running.start }), !isFirst(running) {
                return true
            }
        }
        return story.notifications.contains { one in
            one.columns.type == "DID_CHANGE_RENEWAL_PREF" && one.columns.subtype == "INCREASE_QUANTITY"
                && one.columns.transactionID == nil && running.announcedAt <= one.signedAt
        }
    }

    /// Returns true when a period was not added to an earlier one: Apple renewed it, or a notification tells of its purchase.
    private func isFirst(_ period: Period) -> Bool {
        if period.columns.reason == "RENEWAL" { return true }
        return story.notifications.contains { one in
            (one.columns.type == "SUBSCRIBED" || one.columns.subtype == "UPGRADE")
                && one.columns.transactionID.map(period.ids.contains) ?? false
        }
    }
}

/// A period within three days of a number of months is that many; other lengths are summed up in average months.
struct Months: Sendable {
    private var months: Int64 = 0
    private var rest: Int64 = 0

    static let day: Int64 = 86_400_000
    private static let month: Int64 = 2_629_746_000
    private static let tolerance: Int64 = 3 * day

    mutating func add(from start: Int64, to end: Int64) {
        let length = end - start
        let count = (length + Self.month / 2) / Self.month
        if count > 0, abs(length - count * Self.month) <= Self.tolerance {
            months += count
        } else {
            rest += length
        }
    }

    var whole: Int64 { months + rest / Self.month }
}
