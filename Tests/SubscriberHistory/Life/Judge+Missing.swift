import SubscriberHistory

/// Says where a fact may be missing: where the loss of payloads touches what its rule in retention-facts(5) names.
extension Judge {
    /// Returns true when the rule of a fact allows it to be missing.
    func isMissingRightly(_ statement: FactStatement) -> Bool {
        let fact = statement.fact
        switch statement.reason {
        case .noTransaction: return !knowsPeriod
        case .noRenewalInfo, .noStatus: return arrival.seenAt == nil
        case .noValue:
            return Self.optional.contains(fact) && told[fact] == nil
                || fact == .lastRefundAt && lacksSeatRefund
        case .seatsChanged:
            if fact == .seats { return mayLackSeats }
            return [.paidPeriods, .paidMonths].contains(fact) && lacksAddedSeats
        case .ended: return isEnded
        case .historyIncomplete:
            if Self.lastOffer.contains(fact) { return mayLastOfferDiffer }
            return Self.life.contains(fact) ? !gapEnds(now).isEmpty : isRunningPeriodUnknown
        case .eventsIncomplete: return lacksEvent(fact)
        case .neverHappened: return hasNeverHappened(fact)
        case .unfitValue, .unknownValue, .noPrice, nil: return false
        }
    }

    /// True when seats were added to a period, and nothing is known of that purchase.
    private var lacksAddedSeats: Bool {
        world.truth.purchases.contains { purchase in
            world.truth.seatAdditions(of: purchase, now).contains { !arrival.knows($0) }
        }
    }

    /// The facts of which Apple has no value for some subscribers.
    private static let optional: Set<SubscriberFact> = [
        .price, .currency, .billingPlanType, .advancedCommerceSku,
    ]

    /// True when a copy of some period's transaction has arrived.
    var knowsPeriod: Bool {
        world.truth.purchases.contains { $0.charged <= now && arrival.knows($0) }
    }

    /// True when no copy of the running period's transaction has arrived.
    private var isRunningPeriodUnknown: Bool {
        world.truth.running(now).map { !arrival.knows($0) } ?? true
    }

    /// True when the last known period has ended, and what came afterwards got lost: its payloads, or the running period.
    private var isEnded: Bool {
        guard let seenAt = arrival.seenAt, arrival.lacks(after: seenAt) || isRunningPeriodUnknown,
            let last = world.truth.periods(now).last(where: arrival.knows)
        else { return false }
        let end = last.end(arrival.last(last))
        switch world.truth.state(seenAt) {
        case "active": return end <= now
        case "gracePeriod":
            return world.truth.graceEnds.last { $0.at <= seenAt }.map { $0.end <= now } ?? false
        case "billingRetry": return end + 60 * Life.day <= now
        default: return false
        }
    }

    /// The ends of the gaps in what has arrived, as far as something was to arrive by a time: those with an unknown purchase, a
    /// lapse that nothing explains, and a late recovery or an upgrade of which only some payloads arrived. The gap behind the
    /// last known purchase has no end.
    func gapEnds(_ time: Int64) -> [Int64] {
        let made = world.truth.periods(time)
        var ends: [Int64] = []
        for (place, purchase) in made.enumerated() where !arrival.knows(purchase) {
            ends.append(made[place...].first(where: arrival.knows)?.start ?? .max)
        }
        for (last, next) in zip(made, made.dropFirst()) where arrival.knows(last) && arrival.knows(next) {
            let failedAt = world.truth.recoveries[next.start] ?? next.charged
            let isUnexplained =
                world.truth.isExplained(last, next, now)
                && !(arrival.has(failedAt) && arrival.has(next.charged))
            let hidesUpgrade =
                next.start < last.end(now) - 3_600_000 && arrival.first(last) > arrival.first(next)
                && world.truth.history(now) < next.start
            if world.truth.isLapse(last, next, now) || isUnexplained || hidesUpgrade {
                ends.append(next.start)
            }
        }
        return ends
    }

    /// True when a later offer, or an earlier begin of the last known one, may be unknown.
    private var mayLastOfferDiffer: Bool {
        guard let last = knownOffers.last else { return !gapEnds(now).isEmpty }
        // Where something got lost, two acceptances of the same offer may look like one.
        let same = knownOffers.filter {
            $0.offer.type == last.offer.type && $0.offer.identifier == last.offer.identifier
        }
        let first = world.loss == .nothing ? last : same[0]
        return gapEnds(now).contains { $0 > begin(of: first) }
    }

    /// The accepted offers that can be known: the acceptance or a period with the offer has arrived.
    private var knownOffers: [(at: Int64, offer: Offer)] {
        let made = world.truth.purchases.filter { $0.charged <= now && arrival.knows($0) }
        let numbers = Set(made.compactMap(\.offer?.number))
        return world.truth.accepted.filter {
            Truth.asked.contains($0.offer.type) && $0.at <= now
                && (arrival.has($0.at) || numbers.contains($0.offer.number))
        }
    }

    /// The begin of the period in which an offer was accepted: no payload from before it can be about the offer.
    private func begin(of accepted: (at: Int64, offer: Offer)) -> Int64 {
        world.truth.periods(accepted.at).last?.start ?? .min
    }

    /// Returns true when notifications are missing that the rule of a fact needs.
    private func lacksEvent(_ fact: SubscriberFact) -> Bool {
        switch fact {
        case .autoRenewOffAt:
            guard let since = world.truth.offSince(arrival.seenAt ?? .min) else { return false }
            return !(world.truth.switchesOff.contains { $0.at == since } && arrival.has(since))
        case .cancellations, .lastCancelAt:
            let isSwitchLost = world.truth.switchesOff.contains { $0.at <= now && !arrival.has($0.at) }
            return !hasNotificationOfEachPeriod || !gapEnds(now).isEmpty || isSwitchLost
        case .refunds, .lastRefundAt: return !hasNotificationOfEachPeriod && !showsHistoryEachRefund
        default: return false
        }
    }

    private var hasNotificationOfEachPeriod: Bool {
        let made = world.truth.periods(now)
        return made.first.map { arrival.has($0.charged) } ?? false && made.allSatisfy(arrival.hasNotification)
    }

    /// True when the notification of a refund of seats got lost. Later copies of the transaction do not say when it was.
    private var lacksSeatRefund: Bool {
        world.truth.purchases.contains { $0.seatRefunds.contains { $0.at <= now && !arrival.has($0.at) } }
    }

    /// A history that Apple's server gave shows every refund but those of seats.
    private var showsHistoryEachRefund: Bool {
        let history = world.truth.history(now)
        guard history > .min else { return false }
        return world.truth.purchases.filter { $0.charged <= now }.allSatisfy {
            !$0.isSeatAddition && $0.plan.quantity == 1
                && ($0.start <= history || arrival.hasNotification(of: $0))
        }
    }

    /// Returns true when nothing that arrived tells of such an event.
    private func hasNeverHappened(_ fact: SubscriberFact) -> Bool {
        switch fact {
        case .autoRenewOffAt: world.truth.renews(arrival.seenAt ?? .min) == true
        case .lastCancelAt:
            !world.truth.switchesOff.contains { $0.isCustomer && arrival.has($0.at) }
        case .lastRefundAt:
            !world.truth.purchases.contains { purchase in
                purchase.refund(arrival.last(purchase)) != nil
                    || purchase.seatRefunds.contains { arrival.has($0.at) }
            }
        case .lastOfferAt, .lastOfferType, .lastOfferIdentifier: knownOffers.isEmpty
        default: false
        }
    }
}
