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
        let product: String
        let price: Int64
        let offer: Offer?
        /// True for an upgrade in the middle of a period.
        let isUpgrade: Bool
        /// How much Apple gave back, in thousandths of a percent, and from when on.
        var refunds: [(at: Int64, percentage: Int64)] = []

        /// What Apple gave back by a time.
        func refund(_ now: Int64) -> (at: Int64, percentage: Int64)? {
            refunds.last { $0.at <= now }.flatMap { $0.percentage > 0 ? $0 : nil }
        }

        func end(_ now: Int64) -> Int64 { ends.last { $0.at <= now }?.end ?? ends[0].end }
    }

    var purchases: [Purchase] = []
    var states: [(at: Int64, name: String)] = []
    var renewals: [(at: Int64, isOn: Bool)] = []
    /// When a notification said that renewal was switched off, and who did so.
    var switchesOff: [(at: Int64, isCustomer: Bool)] = []
    var coming: [(at: Int64, product: String)] = []
    var accepted: [(at: Int64, offer: Offer)] = []
    /// The latest time at which a subscription began after more than 60 days without one.
    var begins: [Int64] = []
    /// When the customer came back.
    var returns: [Int64] = []
    /// When Apple's server gave the whole history last.
    var syncedAt: Int64?

    /// The running purchase of a time, or the last one.
    func running(_ now: Int64) -> Purchase? { purchases.last { $0.start <= now && $0.charged <= now } }

    /// True when the customer returned after a lapse that no history has explained by a time. The periods then do not follow
    /// each other.
    func hasLapse(_ now: Int64) -> Bool {
        let syncedAt = self.syncedAt.flatMap { $0 <= now ? $0 : nil } ?? .min
        let known = purchases.filter { $0.charged <= now }
        return zip(known, known.dropFirst()).contains { last, next in
            next.start > last.end(now) + 3_600_000 && !isRecovery(last, next, now)
                && syncedAt < next.charged
        }
    }

    /// The purchases by which Apple collected a price late.
    var recoveries: Set<Int64> = []

    /// Returns true when Apple collected a price so soon that no other period fits between.
    private func isRecovery(_ last: Purchase, _ next: Purchase, _ now: Int64) -> Bool {
        recoveries.contains(next.start) && next.start - last.end(now) < 30 * Life.day
    }

    /// Returns true when payloads lack a purchase that was made by a time.
    func lacksPurchase(_ payloads: SubscriberPayloads, _ now: Int64) -> Bool {
        let known = payloads.transactions.filter { $0.signedAt <= now }.map(\.columns.purchasedAt)
        return purchases.contains { $0.charged <= now && !known.contains($0.start) }
    }

    /// The facts of a time. A fact without a value has never happened.
    func values(_ now: Int64) -> [SubscriberFact: HistoryValue] {
        guard let running = running(now), let first = purchases.first else { return [:] }
        var values: [SubscriberFact: HistoryValue] = [
            .currentProductId: .string(running.product), .subscriptionGroup: .string("group"),
            .firstPurchaseAt: .date(first.start), .expiresAt: .date(running.end(now)),
            .price: .integer(running.price), .currency: .string("USD"), .storefront: .string("USA"),
            .familyShared: .boolean(false), .seats: .integer(1),
            .appAccountToken: .string("7e3fb20b-4cdb-47cc-936d-99d65f608138"),
        ]
        values[.status] = states.last { $0.at <= now }.map { .string($0.name) }
        values[.autoRenew] = renewals.last { $0.at <= now }.map { .boolean($0.isOn) }
        values[.renewalProductId] = coming.last { $0.at <= now }.map { .string($0.product) }
        values[.subscribedAt] = begins.last { $0 <= now }.map { .date($0) }
        values[.renewsAt] = purchases.last { $0.charged <= now }.map { .date($0.end(now)) }
        if values[.autoRenew] == .boolean(false) {
            values[.autoRenewOffAt] = switchesOff.last { $0.at <= now }.map { .date($0.at) }
        }
        addOffers(&values, running, now)
        addCounts(&values, now)
        return values
    }

    private func addOffers(_ values: inout [SubscriberFact: HistoryValue], _ running: Purchase, _ now: Int64)
    {
        let isRunning = now < running.end(now) && running.refund(now) == nil
        let type = isRunning ? running.offer?.type : nil
        values[.inIntroOffer] = .boolean(type == 1)
        values[.inTrial] = .boolean(type == 1 && running.offer?.discount == "FREE_TRIAL")
        values[.inOffer] = .boolean(type != nil)
        values[.inRetentionOffer] = .boolean(type == 2 || type == 5)
        let offers = accepted.filter { $0.at <= now }
        for (fact, types) in Self.counts {
            values[fact] = .integer(Int64(offers.count { types.contains($0.offer.type) }))
        }
        if let last = offers.last(where: { [2, 5].contains($0.offer.type) }) {
            values[.lastOfferAt] = .date(last.at)
            values[.lastOfferType] = .integer(last.offer.type)
            values[.lastOfferIdentifier] = last.offer.identifier.map { .string($0) }
        }
    }

    /// The types of offers that each count counts.
    static let counts: [SubscriberFact: Set<Int64>] = [
        .offersAccepted: [2, 5], .promotionalOffersAccepted: [2], .retentionOffersAccepted: [5],
        .winBackOffersAccepted: [4],
    ]

    /// The accepted offers whose period came. The others are in no transaction.
    private func kept(_ types: Set<Int64>, _ now: Int64) -> [(at: Int64, offer: Offer)] {
        let numbers = purchases.filter { $0.charged <= now }.compactMap(\.offer?.number)
        return accepted.filter {
            $0.at <= now && types.contains($0.offer.type) && numbers.contains($0.offer.number)
        }
    }

    /// The number of offers of some types whose period came. Two acceptances of the same offer may look like one where
    /// something got lost.
    func numberKept(_ types: Set<Int64>, _ now: Int64) -> Int {
        Set(kept(types, now).map { [String($0.offer.type), $0.offer.identifier ?? ""] }).count
    }

    /// When the last promotional or retention offer whose period came was accepted first.
    func lastKept(_ now: Int64) -> Int64 {
        guard let last = kept([2, 5], now).last?.offer else { return .min }
        let same = accepted.first { $0.offer.type == last.type && $0.offer.identifier == last.identifier }
        return same?.at ?? .min
    }

    private func addCounts(_ values: inout [SubscriberFact: HistoryValue], _ now: Int64) {
        let made = purchases.filter { $0.charged <= now }
        values[.paidPeriods] = .integer(paidPeriods(made, now))
        values[.returns] = .integer(Int64(returns.count { $0 <= now }))
        let refunds = made.compactMap { $0.refund(now)?.at }
        values[.refunds] = .integer(Int64(refunds.count))
        values[.lastRefundAt] = refunds.max().map { .date($0) }
        let cancellations = switchesOff.filter { $0.at <= now && $0.isCustomer }
        values[.cancellations] = .integer(Int64(cancellations.count))
        values[.lastCancelAt] = cancellations.last.map { .date($0.at) }
    }

    /// The periods that were paid and not refunded in full. An upgrade inside a paid period is no other one.
    private func paidPeriods(_ made: [Purchase], _ now: Int64) -> Int64 {
        var count: Int64 = 0
        var paidUntil = Int64.min
        for purchase in made {
            if !purchase.isUpgrade { paidUntil = .min }
            let isPaid = purchase.price > 0 && purchase.refund(now)?.percentage != 100_000
            guard isPaid, purchase.start >= paidUntil else { continue }
            count += 1
            paidUntil = purchase.end(now)
        }
        return count
    }
}
