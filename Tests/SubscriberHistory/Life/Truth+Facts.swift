import SubscriberHistory

/// The facts of a subscriber of a random world.
extension Truth {
    /// The facts of a time. A fact without a value has never happened, or Apple has no such value.
    func values(_ now: Int64) -> [SubscriberFact: HistoryValue] {
        guard let running = running(now) else { return [:] }
        var values = shownValues(running, copiedAt: now, seenAt: now, now)
        addOffers(&values, now)
        addCounts(&values, now)
        return values
    }

    /// The facts that follow from one payload: from a copy of the transaction of `running`, and from a renewal info and a
    /// notification that Apple signed at `seenAt`.
    func shownValues(
        _ running: Purchase?,
        copiedAt: Int64,
        seenAt: Int64,
        _ now: Int64
    ) -> [SubscriberFact: HistoryValue] {
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
        _ values: inout [SubscriberFact: HistoryValue],
        _ running: Purchase,
        _ copiedAt: Int64,
        _ now: Int64
    ) {
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
        values[.seats] = haveSeatsChanged(running, now) ? nil : .integer(plan.quantity)
        let isRunning =
            now < running.end(copiedAt) && running.refund(copiedAt) == nil
            && (running.takenBackAt ?? .max) > copiedAt
        let type = isRunning ? running.offer?.type : nil
        values[.inIntroOffer] = .boolean(type == 1)
        values[.inTrial] = .boolean(type == 1 && running.offer?.discount == "FREE_TRIAL")
        values[.inOffer] = .boolean(type != nil)
        values[.inRetentionOffer] = .boolean(type == 2 || type == 5)
    }

    /// The purchases of seats for a period that were made by a time.
    func seatAdditions(of period: Purchase, _ now: Int64) -> [Purchase] {
        purchases.filter {
            $0.isSeatAddition && $0.charged <= now && period.start <= $0.start && $0.start < period.end(now)
        }
    }

    /// Returns true when seats of a period were added or refunded by a time.
    private func haveSeatsChanged(_ period: Purchase, _ now: Int64) -> Bool {
        period.seatRefunds.contains { $0 <= now } || !seatAdditions(of: period, now).isEmpty
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
        values[.returns] = .integer(Int64(returns.count { $0 <= now }))
        let refunds = made.compactMap { $0.lastRefund(now) }
        values[.refunds] = .integer(Int64(refunds.count))
        values[.lastRefundAt] = refunds.max().map { .date($0) }
        let cancellations = switchesOff.filter { $0.at <= now && $0.isCustomer }
        values[.cancellations] = .integer(Int64(cancellations.count))
        values[.lastCancelAt] = cancellations.last.map { .date($0.at) }
    }

    /// The periods that the customer paid, also those that were refunded.
    func paidPeriodsWithRefunded(_ now: Int64) -> Int64 {
        let made = purchases.filter { $0.charged <= now }.map { purchase in
            var kept = purchase
            kept.refunds = []
            return kept
        }
        return paidPeriods(made, now)
    }

    /// The periods that the customer paid and that were not refunded in full. An upgrade inside a paid period is no other one,
    /// and neither are added seats.
    private func paidPeriods(_ made: [Purchase], _ now: Int64) -> Int64 {
        var count: Int64 = 0
        var paidUntil = Int64.min
        for purchase in made where purchase.isOwn && !purchase.isSeatAddition {
            if !purchase.isUpgrade { paidUntil = .min }
            let isPaid = purchase.price ?? 0 > 0 && purchase.refund(now)?.percentage != 100_000
            guard isPaid, purchase.start >= paidUntil else { continue }
            count += 1
            paidUntil = purchase.end(now)
        }
        return count
    }
}
