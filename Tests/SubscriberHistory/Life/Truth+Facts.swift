import SubscriberHistory

/// The facts of a subscriber of a random world.
extension Truth {
    /// The facts of a time. A fact without a value has never happened, or Apple has no such value.
    func values(_ now: Int64) -> [SubscriberFact: HistoryValue] {
        guard let running = running(now) else { return [:] }
        var values = shownValues(running, copiedAt: { _ in now }, seenAt: now, now)
        addOffers(&values, now)
        addCounts(&values, now)
        return values
    }

    /// The facts that follow from one payload: from the latest copies of the transactions of `running`, and from a renewal info
    /// and a notification that Apple signed at `seenAt`. `copiedAt` says when Apple signed a copy; nil when there is none.
    func shownValues(_ running: Purchase?, copiedAt: (Purchase) -> Int64?, seenAt: Int64, _ now: Int64)
        -> [SubscriberFact: HistoryValue]
    {
        var values: [SubscriberFact: HistoryValue] = [:]
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
        _ values: inout [SubscriberFact: HistoryValue], _ running: Purchase, _ copiedAt: (Purchase) -> Int64?,
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

    /// The purchases of seats for a period that were made by a time.
    func seatAdditions(of period: Purchase, _ now: Int64) -> [Purchase] {
        purchases.filter {
            $0.isSeatAddition && !period.isSeatAddition && $0.charged <= now && period.start <= $0.start
                && $0.start < period.end(now)
        }
    }

    private func addOffers(_ values: inout [SubscriberFact: HistoryValue], _ now: Int64) {
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

    /// The types of offers that a retention message can make.
    static let asked: Set<Int64> = [2, 5]

    /// The types of offers that each count counts.
    static let counts: [SubscriberFact: Set<Int64>] = [
        .offersAccepted: asked, .promotionalOffersAccepted: [2], .retentionOffersAccepted: [5],
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
        guard let last = kept(Self.asked, now).last?.offer else { return .min }
        let same = accepted.first { $0.offer.type == last.type && $0.offer.identifier == last.identifier }
        return same?.at ?? .min
    }

    private func addCounts(_ values: inout [SubscriberFact: HistoryValue], _ now: Int64) {
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

    /// The periods that the customer paid, also those that were refunded.
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
