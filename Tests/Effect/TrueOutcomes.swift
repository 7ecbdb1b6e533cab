@testable import Effect
@testable import Lives

/// The outcomes of a request, from what really happened. Nothing here reads a payload.
extension Truth {
    private static let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)

    /// Returns those that are known by `horizon`.
    func outcomes(of request: Int64, by horizon: Int64) -> [OutcomeKey: Int64] {
        func isKnown(_ days: Int64) -> Bool { request + (days + 2) * Self.day <= horizon }
        guard isKnown(0) else { return [:] }
        let (day, week, month) = (request + Self.day, request + 7 * Self.day, request + 30 * Self.day)
        func number(_ isTrue: Bool) -> Int64 { isTrue ? 1 : 0 }
        var found = [OutcomeKey(.placebo): number(hadChange(before: request))]
        if isKnown(1) {
            found[OutcomeKey(.kept24h)] = number(isKept(day))
            found[OutcomeKey(.redeemed24h)] = number(hasAccepted(from: request, to: day))
            found[OutcomeKey(.switched24h)] = number(product(day) != product(request))
        }
        if isKnown(7) { found[OutcomeKey(.kept7d)] = number(isKept(week)) }
        if isKnown(30) {
            found[OutcomeKey(.refunded30d)] = number(wasRefunded(from: request, to: month))
            if let net = revenue(from: request, to: month) {
                found[OutcomeKey(.revenue30d, currency: "USD")] = net
            }
        }
        found[OutcomeKey(.renewed)] = isRenewed(since: request, by: horizon).map(number)
        return found
    }

    /// The customer did not cancel, or took that back. Apple's own switches, and a price that was not paid, are no cancel.
    private func isKept(_ time: Int64) -> Bool {
        let known = renewals.filter { $0.at <= time }
        guard known.last?.isOn == false else { return true }
        let on = known.last { $0.isOn }?.at ?? .min
        return switchesOff.first { on < $0.at && $0.at <= time }.map { !$0.isCustomer } ?? true
    }

    private func hasAccepted(from request: Int64, to end: Int64) -> Bool {
        accepted.contains { request < $0.at && $0.at <= end && [2, 5].contains($0.offer.type) }
    }

    private func product(_ time: Int64) -> String? { coming.last { $0.at <= time }?.product }

    private func wasRefunded(from request: Int64, to end: Int64) -> Bool {
        purchases.contains { $0.charged <= end && $0.lastRefund(end).map { request < $0 } ?? false }
    }

    private func revenue(from request: Int64, to end: Int64) -> Int64? {
        guard purchases.contains(where: { $0.price != nil && $0.charged <= request }) else { return nil }
        func net(_ purchase: Purchase, _ time: Int64) -> Int64 {
            guard purchase.charged <= time, let price = purchase.price else { return 0 }
            let paid = price * purchase.quantity
            if let refund = purchase.refund(time) { return paid - paid * refund.percentage / 100_000 }
            return price * purchase.seats(time)
        }
        return purchases.reduce(0) { $0 + net($1, end) - net($1, request) }
    }

    /// Nil when no period ran at the request.
    private func isRenewed(since request: Int64, by horizon: Int64) -> Bool? {
        guard let first = running(request), isAlive(first, request) else { return nil }
        // An extension counts when Apple gave it by the day on which the renewal is looked for.
        var end = first.end(request)
        while first.end(end + Self.day) > end { end = first.end(end + Self.day) }
        let time = end + Self.day
        guard time + 2 * Self.day <= horizon else { return nil }
        let all = periods(time)
        return all.indices.contains { place in
            let next = all[place]
            // Who upgrades leaves the period before.
            let isLeft = place + 1 < all.count && all[place + 1].isUpgrade
            return next.start > first.start && next.start <= time && !isLeft && isAlive(next, time)
        }
    }

    private func isAlive(_ period: Purchase, _ time: Int64) -> Bool {
        let parts = [period] + seatAdditions(of: period, time)
        return time < period.end(time) && !parts.allSatisfy { $0.isTakenBack(time) }
    }

    private func hadChange(before request: Int64) -> Bool {
        let refunds = purchases.flatMap { purchase in
            purchase.refunds.filter { $0.percentage > 0 }.map(\.at) + purchase.seatRefunds.map(\.at)
        }
        return (switchesOff.map(\.at) + resumes + refunds).contains {
            request - 30 * Self.day <= $0 && $0 <= request
        }
    }
}
