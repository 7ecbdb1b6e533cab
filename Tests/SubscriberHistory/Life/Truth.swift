import NotificationStore
import SubscriberHistory

/// What really happened to a subscriber of a random world. It is written down beside the payloads and never read from them.
struct Truth {
    /// A transaction.
    struct Purchase {
        let charged: Int64
        let start: Int64
        /// The end of its period, and from when on it is the end.
        var ends: [(at: Int64, end: Int64)]
        let plan: Plan
        /// `inAppOwnershipType`: who paid.
        let ownership: String
        /// Nil when somebody else paid.
        let price: Int64?
        let offer: Offer?
        /// True for an upgrade in the middle of a period.
        var isUpgrade = false
        /// True for seats that were added to the running period.
        var isSeatAddition = false
        /// How much Apple gave back, in thousandths of a percent, and from when on.
        var refunds: [(at: Int64, percentage: Int64)] = []
        /// The number of seats.
        var quantity: Int64
        /// When Apple gave the price of seats back, and of how many.
        var seatRefunds: [(at: Int64, count: Int64)] = []
        /// When the family or the organization took the period back.
        var takenBackAt: Int64?

        /// True when the subscriber paid, and nobody else.
        var isOwn: Bool { ownership == "PURCHASED" }

        /// What Apple gave back by a time.
        func refund(_ now: Int64) -> (at: Int64, percentage: Int64)? {
            refunds.last { $0.at <= now }.flatMap { $0.percentage > 0 ? $0 : nil }
        }

        /// When Apple gave something back last, seats included; nil when it gave nothing back.
        func lastRefund(_ now: Int64) -> Int64? {
            ([refund(now)?.at].compactMap { $0 } + seatRefunds.map(\.at).filter { $0 <= now }).max()
        }

        /// The seats that are left of it.
        func seats(_ now: Int64) -> Int64 {
            if isTakenBack(now) { return 0 }
            return seatRefunds.reduce(quantity) { $1.at <= now ? $0 - $1.count : $0 }
        }

        /// True when Apple, the family or the organization has taken it back.
        func isTakenBack(_ now: Int64) -> Bool { refund(now) != nil || (takenBackAt ?? .max) <= now }

        /// True when it cost something, and not all of that was given back.
        func isPaid(_ now: Int64) -> Bool {
            price ?? 0 > 0 && refund(now)?.percentage != 100_000
        }

        func end(_ now: Int64) -> Int64 { ends.last { $0.at <= now }?.end ?? ends[0].end }

        /// How long its period is.
        func length(_ now: Int64) -> Int64 { end(now) - start }
    }

    var purchases: [Purchase] = []
    var states: [(at: Int64, name: String)] = []
    var renewals: [(at: Int64, isOn: Bool)] = []
    /// When a notification said that renewal was switched off, and who did so.
    var switchesOff: [(at: Int64, isCustomer: Bool)] = []
    var coming: [(at: Int64, product: String)] = []
    /// What the coming period costs.
    var comingPrices: [(at: Int64, price: Int64?)] = []
    var accepted: [(at: Int64, offer: Offer)] = []
    /// The latest time at which a subscription began after more than 60 days without one.
    var begins: [Int64] = []
    /// When the customer came back.
    var returns: [Int64] = []
    /// When Apple's server gave the whole history last.
    var syncedAt: Int64?
    /// The ends of the grace periods, by the time of the failure before them.
    var graceEnds: [(at: Int64, end: Int64)] = []
    /// When Apple failed to collect a price, by the begin of the period for which it collected the price late.
    var recoveries: [Int64: Int64] = [:]

    /// The running purchase of a time, or the last one.
    func running(_ now: Int64) -> Purchase? { periods(now).last { $0.start <= now } }

    /// The purchases that were made by a time, without those of seats for a running period.
    func periods(_ now: Int64) -> [Purchase] {
        purchases.filter { $0.charged <= now && !$0.isSeatAddition }
    }

    /// The state of a time.
    func state(_ now: Int64) -> String? { states.last { $0.at <= now }?.name }

    /// True when the subscription renews at a time; nil before the first purchase.
    func renews(_ now: Int64) -> Bool? { renewals.last { $0.at <= now }?.isOn }

    /// The latest time by `now` at which renewal went off; nil while it is on.
    func offSince(_ now: Int64) -> Int64? {
        let known = renewals.filter { $0.at <= now }
        guard known.last?.isOn == false else { return nil }
        let place = known.lastIndex { $0.isOn }.map { $0 + 1 } ?? 0
        return known[place].at
    }

    /// Returns true when the customer returned after a lapse that no history has explained by a time. The two periods then do not
    /// follow each other.
    func isLapse(_ last: Purchase, _ next: Purchase, _ now: Int64) -> Bool {
        isApart(last, next, now) && !isRecovery(last, next, now) && history(now) < next.charged
    }

    /// Returns true when Apple collected a price late, and only the notifications of that explain the time between.
    func isExplained(_ last: Purchase, _ next: Purchase, _ now: Int64) -> Bool {
        isApart(last, next, now) && isRecovery(last, next, now) && history(now) < next.charged
    }

    /// The time up to which Apple's server had given the history by a time.
    func history(_ now: Int64) -> Int64 { syncedAt.flatMap { $0 <= now ? $0 : nil } ?? .min }

    private func isApart(_ last: Purchase, _ next: Purchase, _ now: Int64) -> Bool {
        next.start > last.end(now) + 3_600_000
    }

    /// Returns true when Apple collected a price so soon that no other period fits between. A free period may be shorter than
    /// the one that would fit.
    private func isRecovery(_ last: Purchase, _ next: Purchase, _ now: Int64) -> Bool {
        let isFree = last.price == 0
        let length = isFree ? next.length(now) : min(last.length(now), next.length(now))
        return recoveries[next.start] != nil && next.start - last.end(now) < length
    }

    /// Returns true when payloads lack a period that was paid by a time.
    func lacksPurchase(_ payloads: SubscriberPayloads, _ now: Int64) -> Bool {
        let known = payloads.transactions.filter { $0.signedAt <= now }.map(\.columns.purchasedAt)
        return periods(now).contains { !known.contains($0.start) }
    }
}
