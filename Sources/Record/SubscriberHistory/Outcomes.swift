internal import NotificationStore

/// What became of a subscriber after a request. Each value follows from the payloads that Apple had signed by the end of its window, so
/// it never changes later. Nothing known of a subscriber means that nothing happened: Apple tells of each change.
package struct SubscriberOutcomes {
    private let payloads: SubscriberPayloads
    private let request: Int64
    /// The times of signing.
    private let signed: [Int64]
    private let before: Story
    /// By the number of payloads: a story without news is the same story.
    private var stories: [Int: Story]

    /// How long after a window its end is known: by then Apple has told whether a refund was the reason for a switch.
    package static let settlingMilliseconds = RenewalSwitches.refundMilliseconds
    private static let day: Int64 = 86_400_000

    package init(_ payloads: SubscriberPayloads, at request: Int64) {
        self.payloads = payloads
        self.request = request
        signed =
            payloads.transactions.map(\.signedAt) + payloads.renewals.map(\.signedAt)
            + payloads.notifications.map(\.signedAt)
        before = Story(payloads, now: request)
        stories = [:]
        stories[count(by: request)] = before
    }

    /// The token by which the rules may have drawn; nil when none was known.
    package var appAccountToken: String? { before.running?.columns.appAccountToken }

    /// A cancel that was taken back by the end is none, and neither is one that came with a refund.
    package mutating func isKept(at end: Int64) -> Bool {
        let story = story(at: end + Self.settlingMilliseconds)
        return !RenewalSwitches(story, refundTypes: Self.refundTypes, until: end).isOffByCustomer
    }

    private static let refundTypes: Set = [
        "CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
    ]

    /// Returns whether another period ran a day after the end of the one that ran at the request. Nil when none ran that was known
    /// then, or when that day is not settled by `horizon`.
    package mutating func isRenewed(by horizon: Int64) -> Bool? {
        guard let first = before.running, first.start <= request, request < first.end,
            !Refunds(before).isOver(first, at: request)
        else { return nil }
        var end = first.end
        while end + Self.day + Self.settlingMilliseconds <= horizon {
            let time = end + Self.day
            let story = story(at: time)
            let extended = story.periods.first { $0.isNamed(first.id) }?.end ?? end
            guard extended > end else {
                let refunds = Refunds(story)
                return story.periods.contains { next in
                    next.start > first.start && next.start <= time && !next.isUpgraded
                        && !refunds.isOver(next, at: time)
                }
            }
            end = extended
        }
        return nil
    }

    package mutating func isRefunded(by end: Int64) -> Bool {
        hasNews(by: end) && Refunds(story(at: end)).all.values.contains { isInWindow($0.at, end) }
    }

    /// Returns what the subscriber paid in the currency of before the request, in thousandths, less what Apple gave back. Nil when no
    /// price was known then.
    package mutating func revenue(by end: Int64) -> (currency: String, milliunits: Int64)? {
        let known = before.periods.last { $0.isOwn && $0.columns.currency != nil }
        guard let currency = known?.columns.currency else { return nil }
        guard hasNews(by: end) else { return (currency, 0) }
        let after = story(at: end)
        let (oldRefunds, newRefunds) = (Refunds(before), Refunds(after))
        var returned: [String: Int64] = [:]
        for purchase in before.periods.flatMap(\.transactions) {
            for id in purchase.ids { returned[id] = oldRefunds.returned(of: purchase) }
        }
        var sum: Int64 = 0
        for purchase in after.periods.flatMap(\.transactions)
        where purchase.isOwn && purchase.columns.currency == currency {
            if isInWindow(Self.chargedAt(purchase, after), end) { sum &+= purchase.paid }
            let old = purchase.ids.lazy.compactMap { returned[$0] }.first
            let isNew = newRefunds.all[purchase.id].map { isInWindow($0.at, end) } ?? true
            if old != nil || isNew { sum &-= newRefunds.returned(of: purchase) &- (old ?? 0) }
        }
        return (currency, sum)
    }

    /// Apple charges a renewal up to a day before the period begins, or collects its price later.
    private static func chargedAt(_ purchase: Period, _ story: Story) -> Int64 {
        let collection = story.notifications.first { one in
            one.columns.subtype == "BILLING_RECOVERY" && purchase.isNamed(one.columns.transactionID)
        }
        return collection?.signedAt ?? min(purchase.start, purchase.first.signedAt)
    }

    /// Returns whether the subscriber accepted a promotional or a retention offer.
    package mutating func hasRedeemed(by end: Int64) -> Bool {
        hasNews(by: end)
            && RedemptionSearch(story(at: end)).found.contains { one in
                isInWindow(one.at, end)
                    && (one.offer.type == Redemption.Offer.promotional
                        || one.offer.type == Redemption.Offer.retention)
            }
    }

    /// Returns whether another product runs or will run at the end than at the request, which named `product`.
    package mutating func hasSwitched(by end: Int64, from product: String) -> Bool {
        guard hasNews(by: end) else { return false }
        let old = Self.comingProduct(before) ?? product
        return (Self.comingProduct(story(at: end)) ?? old) != old
    }

    private static func comingProduct(_ story: Story) -> String? {
        let last = story.periods.last
        guard let renewal = story.renewals.last, last.map({ $0.announcedAt <= renewal.signedAt }) ?? true
        else { return last?.columns.productID }
        return renewal.columns.renewalProductID ?? last?.columns.productID
    }

    /// Returns whether renewal was switched or something was refunded since `begin` and before the request.
    package func hadChange(since begin: Int64) -> Bool {
        before.notifications.contains { one in
            begin <= one.signedAt
                && (one.columns.type == "DID_CHANGE_RENEWAL_STATUS" || one.columns.type == "REFUND")
        }
    }

    private func isInWindow(_ time: Int64, _ end: Int64) -> Bool { request < time && time <= end }

    private func hasNews(by end: Int64) -> Bool { count(by: end) > count(by: request) }

    private func count(by time: Int64) -> Int { signed.count { $0 <= time } }

    private mutating func story(at time: Int64) -> Story {
        let count = count(by: time)
        if let known = stories[count] { return known }
        let story = Story(payloads, now: time)
        stories[count] = story
        return story
    }
}

extension Period {
    /// Numbers that no price and no team has would not fit a sum.
    private static let (prices, seats): (ClosedRange<Int64>, ClosedRange<Int64>) = (0...1 << 40, 0...1 << 16)

    /// What it cost with all its seats, in thousandths.
    fileprivate var paid: Int64 { seatPrice * Self.clamped(columns.quantity ?? 1, Self.seats) }

    fileprivate var seatPrice: Int64 { Self.clamped(columns.price ?? 0, Self.prices) }

    fileprivate static func clamped(_ number: Int64, _ range: ClosedRange<Int64>) -> Int64 {
        min(max(number, range.lowerBound), range.upperBound)
    }
}

extension Refunds {
    /// Returns true when a period has ended, or Apple has taken all of it back.
    fileprivate func isOver(_ period: Period, at time: Int64) -> Bool {
        time >= endOfService(of: period) || period.transactions.allSatisfy(isTakenBack)
    }

    /// How much of a purchase Apple gave back, in thousandths of the currency's unit.
    fileprivate func returned(of purchase: Period) -> Int64 {
        switch share(purchase) {
        case nil: return 0
        case .full, .unknown: return purchase.paid
        case .part:
            guard purchase.columns.revokedAt != nil, let share = purchase.columns.revocationPercentage else {
                let seats = revokedSeats(of: purchase) ?? 0
                return purchase.seatPrice * Period.clamped(seats, 0...1 << 16)
            }
            let (parts, rest) = purchase.paid.quotientAndRemainder(dividingBy: 100_000)
            let percentage = Period.clamped(share, 0...100_000)
            return parts * percentage + rest * percentage / 100_000
        }
    }
}
