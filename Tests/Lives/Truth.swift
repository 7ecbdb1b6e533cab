import Facts
import NotificationStore
import SubscriberHistory

/// What really happened to a subscriber of a random world. It is written down beside the payloads and never read from them.
struct Truth {
    struct Purchase {
        let charged: Int64
        let start: Int64
        var ends: [(at: Int64, end: Int64)]
        let plan: Plan
        let ownership: String
        /// Nil when somebody else paid.
        let price: Int64?
        let offer: Offer?
        var isUpgrade = false
        var isSeatAddition = false
        /// How much Apple gave back, in thousandths of a percent, and from when on.
        var refunds: [(at: Int64, percentage: Int64)] = []
        var quantity: Int64
        var seatRefunds: [(at: Int64, count: Int64)] = []
        var takenBackAt: Int64?

        /// True when the subscriber paid, and nobody else.
        var isOwn: Bool { ownership == "PURCHASED" }

        func refund(_ now: Int64) -> (at: Int64, percentage: Int64)? {
            refunds.last { $0.at <= now }.flatMap { $0.percentage > 0 ? $0 : nil }
        }

        /// When Apple gave something back last, seats included; nil when it gave nothing back.
        func lastRefund(_ now: Int64) -> Int64? {
            ([refund(now)?.at].compactMap { $0 } + seatRefunds.map(\.at).filter { $0 <= now }).max()
        }

        func seats(_ now: Int64) -> Int64 {
            if isTakenBack(now) { return 0 }
            return seatRefunds.reduce(quantity) { $1.at <= now ? $0 - $1.count : $0 }
        }

        func isTakenBack(_ now: Int64) -> Bool { refund(now) != nil || (takenBackAt ?? .max) <= now }

        func isPaid(_ now: Int64) -> Bool {
            price ?? 0 > 0 && refund(now)?.percentage != 100_000
        }

        func end(_ now: Int64) -> Int64 { ends.last { $0.at <= now }?.end ?? ends[0].end }

        func length(_ now: Int64) -> Int64 { end(now) - start }
    }

    var purchases: [Purchase] = []
    var states: [(at: Int64, name: String)] = []
    var renewals: [(at: Int64, isOn: Bool)] = []
    /// When a notification said that renewal was switched off, and who did so.
    var switchesOff: [(at: Int64, isCustomer: Bool)] = []
    var coming: [(at: Int64, product: String)] = []
    var comingPrices: [(at: Int64, price: Int64?)] = []
    var accepted: [(at: Int64, offer: Offer)] = []
    var begins: [Int64] = []
    var returns: [Int64] = []
    /// When the customer switched renewal on again, by itself.
    var resumes: [Int64] = []
    var syncedAt: Int64?
    /// The ends of the grace periods, by the time of the failure before them.
    var graceEnds: [(at: Int64, end: Int64)] = []
    /// When Apple failed to collect a price, by the begin of the period for which it collected the price late.
    var recoveries: [Int64: Int64] = [:]

    func running(_ now: Int64) -> Purchase? { periods(now).last { $0.start <= now } }

    func periods(_ now: Int64) -> [Purchase] {
        purchases.filter { $0.charged <= now && !$0.isSeatAddition }
    }

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

    func lacksPurchase(_ payloads: SubscriberPayloads, _ now: Int64) -> Bool {
        let known = payloads.transactions.filter { $0.signedAt <= now }.map(\.columns.purchasedAt)
        return periods(now).contains { !known.contains($0.start) }
    }
}

extension Truth {
    /// The facts of a time. A fact without a value has never happened, or Apple has no such value.
    func values(_ now: Int64) -> [SubscriberFact: FactValue] {
        guard let running = running(now) else { return [:] }
        var values = shownValues(running, copiedAt: { _ in now }, seenAt: now, now)
        addOffers(&values, now)
        addCounts(&values, now)
        return values
    }

    /// The facts that follow from one payload: from the latest copies of the transactions of `running`, and from a renewal info
    /// and a notification that Apple signed at `seenAt`. `copiedAt` says when Apple signed a copy; nil when there is none.
    func shownValues(_ running: Purchase?, copiedAt: (Purchase) -> Int64?, seenAt: Int64, _ now: Int64)
        -> [SubscriberFact: FactValue]
    {
        var values: [SubscriberFact: FactValue] = [:]
        values[.status] = state(seenAt).map { .string($0) }
        values[.autoRenew] = renews(seenAt).map { .boolean($0) }
        values[.renewalProductId] = coming.last { $0.at <= seenAt }.map { .string($0.product) }
        values[.renewalPrice] = comingPrices.last { $0.at <= seenAt }?.price.map { .integer($0) }
        values[.subscribedAt] = begins.last { $0 <= seenAt }.map { .date($0) }
        values[.renewsAt] = purchases.last { $0.charged <= seenAt }.map { .date($0.end(seenAt)) }
        if values[.autoRenew] == .boolean(false) {
            values[.autoRenewOffAt] = switchesOff.last { $0.at <= seenAt }.map { .date($0.at) }
        }
        if let running { addTransaction(&values, running, copiedAt, now) }
        return values
    }

    private func addTransaction(
        _ values: inout [SubscriberFact: FactValue], _ running: Purchase, _ copiedAt: (Purchase) -> Int64?,
        _ now: Int64
    ) {
        let copies = ([running] + seatAdditions(of: running, now)).compactMap { purchase in
            copiedAt(purchase).map { (purchase, at: $0) }
        }
        let copiedAt = copiedAt(running) ?? .min
        let plan = running.plan
        values[.currentProductId] = .string(plan.product)
        values[.subscriptionGroup] = .string(plan.group)
        values[.firstPurchaseAt] = purchases.map(\.start).min().map { .date($0) }
        values[.expiresAt] = .date(running.end(copiedAt))
        values[.storefront] = .string("USA")
        values[.familyShared] = .boolean(running.ownership == "FAMILY_SHARED")
        values[.appAccountToken] = .string("7e3fb20b-4cdb-47cc-936d-99d65f608138")
        values[.price] = running.price.map { .integer($0) }
        values[.currency] = running.price.map { _ in .string("USD") }
        values[.billingPlanType] = plan.billing.map { .string($0) }
        values[.seats] = .integer(copies.reduce(0) { $0 + $1.0.seats($1.at) })
        let isRunning = now < running.end(copiedAt) && !copies.allSatisfy { $0.0.isTakenBack($0.at) }
        let type = isRunning ? running.offer?.type : nil
        values[.inIntroOffer] = .boolean(type == 1)
        values[.inTrial] = .boolean(type == 1 && running.offer?.discount == "FREE_TRIAL")
        values[.inOffer] = .boolean(type != nil)
        values[.inRetentionOffer] = .boolean(type == 2 || type == 5)
    }

    func seatAdditions(of period: Purchase, _ now: Int64) -> [Purchase] {
        purchases.filter {
            $0.isSeatAddition && !period.isSeatAddition && $0.charged <= now && period.start <= $0.start
                && $0.start < period.end(now)
        }
    }

    private func addOffers(_ values: inout [SubscriberFact: FactValue], _ now: Int64) {
        let offers = accepted.filter { $0.at <= now }
        for (fact, types) in Self.counts {
            values[fact] = .integer(Int64(offers.count { types.contains($0.offer.type) }))
        }
        if let last = offers.last(where: { Self.asked.contains($0.offer.type) }) {
            values[.lastOfferAt] = .date(last.at)
            values[.lastOfferType] = .integer(last.offer.type)
            values[.lastOfferIdentifier] = last.offer.identifier.map { .string($0) }
        }
    }

    static let asked: Set<Int64> = [2, 5]

    static let counts: [SubscriberFact: Set<Int64>] = [
        .offersAccepted: asked, .promotionalOffersAccepted: [2], .retentionOffersAccepted: [5],
        .winBackOffersAccepted: [4],
    ]

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

    func lastKept(_ now: Int64) -> Int64 {
        guard let last = kept(Self.asked, now).last?.offer else { return .min }
        let same = accepted.first { $0.offer.type == last.type && $0.offer.identifier == last.identifier }
        return same?.at ?? .min
    }

    private func addCounts(_ values: inout [SubscriberFact: FactValue], _ now: Int64) {
        let made = purchases.filter { $0.charged <= now }
        values[.paidPeriods] = .integer(paidPeriods(made, now))
        values[.paidMonths] = .integer(paidMonths(made, now))
        values[.returns] = .integer(Int64(returns.count { $0 <= now }))
        let refunds = made.compactMap { $0.lastRefund(now) }
        values[.refunds] = .integer(Int64(refunds.count))
        values[.lastRefundAt] = refunds.max().map { .date($0) }
        let cancellations = switchesOff.filter { $0.at <= now && $0.isCustomer }
        values[.cancellations] = .integer(Int64(cancellations.count))
        values[.lastCancelAt] = cancellations.last.map { .date($0.at) }
    }

    func paidWithRefunded(_ fact: SubscriberFact, _ now: Int64) -> Int64 {
        let made = purchases.filter { $0.charged <= now }.map { purchase in
            var kept = purchase
            kept.refunds = []
            return kept
        }
        return fact == .paidMonths ? paidMonths(made, now, isExtended: true) : paidPeriods(made, now)
    }

    /// The months for which the customer paid, with what Apple gave for free. That is what is known when the copy from before an
    /// extension got lost.
    func extendedMonths(_ now: Int64) -> Int64 {
        paidMonths(purchases.filter { $0.charged <= now }, now, isExtended: true)
    }

    /// Returns true when a purchase cost something, itself or the seats that were added to it, and not all was refunded.
    private func isPaid(_ purchase: Purchase, _ now: Int64) -> Bool {
        purchase.isPaid(now) || seatAdditions(of: purchase, now).contains { $0.isPaid(now) }
    }

    /// The months for which the customer paid. What an upgrade left of a period is not among them.
    private func paidMonths(_ made: [Purchase], _ now: Int64, isExtended: Bool = false) -> Int64 {
        let periods = made.filter { $0.isOwn && !$0.isSeatAddition }
        var (months, days) = (0.0, 0.0)
        for (place, purchase) in periods.enumerated() where isPaid(purchase, now) {
            var end = purchase.end(isExtended ? now : purchase.charged)
            if let next = periods.dropFirst(place + 1).first, next.isUpgrade {
                end = min(end, max(purchase.start, next.start))
            }
            let length = Double(end - purchase.start) / Double(Life.day)
            let count = (length / Self.monthDays).rounded()
            if count > 0, abs(length - count * Self.monthDays) <= 3 {
                months += count
            } else {
                days += length
            }
        }
        return Int64(months) + Int64(days / Self.monthDays)
    }

    private static let monthDays = 365.2425 / 12

    /// The periods that the customer paid and that were not refunded in full. An upgrade inside a paid period is no other one,
    /// and neither are added seats.
    private func paidPeriods(_ made: [Purchase], _ now: Int64) -> Int64 {
        var count: Int64 = 0
        var paidUntil = Int64.min
        for purchase in made where purchase.isOwn && !purchase.isSeatAddition {
            if !purchase.isUpgrade { paidUntil = .min }
            guard isPaid(purchase, now), purchase.start >= paidUntil else { continue }
            count += 1
            paidUntil = purchase.end(now)
        }
        return count
    }
}
