import SubscriberHistory

/// Compares facts with the truth, and with what of it has arrived.
struct Judge {
    let world: World
    let arrival: Arrival
    let facts: HistoryFacts
    let now: Int64
    /// The facts of the life.
    let truth: [SubscriberFact: HistoryValue]
    /// The last period that has begun and of which a copy has arrived.
    let shown: Truth.Purchase?
    /// The facts that the copy and the latest renewal info tell.
    let told: [SubscriberFact: HistoryValue]

    init(world: World, facts: HistoryFacts, now: Int64) {
        self.world = world
        let arrival = Arrival(world, now)
        let shown = world.truth.shown(now, arrival)
        truth = world.truth.values(now)
        let seenAt = arrival.seenAt ?? .min
        told = world.truth.shownValues(
            shown,
            copiedAt: { arrival.knows($0) ? arrival.last($0) : nil },
            seenAt: seenAt,
            now
        )
        (self.arrival, self.shown, self.facts, self.now) = (arrival, shown, facts, now)
    }

    /// The facts of the whole life.
    static let life: Set<SubscriberFact> = lastOffer.union([
        .paidPeriods, .paidMonths, .returns, .offersAccepted, .promotionalOffersAccepted,
        .retentionOffersAccepted,
        .winBackOffersAccepted, .refunds, .lastRefundAt, .cancellations, .lastCancelAt,
    ])

    /// The facts of the last accepted offer.
    static let lastOffer: Set<SubscriberFact> = [.lastOfferAt, .lastOfferType, .lastOfferIdentifier]

    /// Says what is wrong with a statement; nil when nothing is.
    func fault(_ statement: FactStatement) -> String? {
        isRight(statement) ? nil : text(statement)
    }

    private func text(_ statement: FactStatement) -> String {
        let fact = statement.fact
        let really = truth[fact].map { "\($0)" } ?? "none"
        let told = told[fact].map { "\($0)" } ?? "none"
        return "\(world.kind) of \(world.generator), losing \(world.loss), \(fact) at \(now): "
            + "\(statement), the truth: \(really), told: \(told)"
    }

    private func isRight(_ statement: FactStatement) -> Bool {
        let fact = statement.fact
        if fact == .historyComplete { return isHistoryRight(statement.value) }
        guard let value = statement.value else { return isMissingRightly(statement) }
        guard Self.life.contains(fact) else { return isShownRightly(fact, value) }
        if world.loss != .nothing, let isRight = isOfferRight(fact, value) { return isRight }
        if world.loss == .events, let isRight = isEventRight(fact, value) { return isRight }
        if fact == .paidMonths, case .integer(let least) = truth[fact], case .integer(let count) = value {
            return least <= count && count <= max(least, world.truth.extendedMonths(now))
        }
        return truth[fact] == value
    }

    /// Compares a fact that payloads show. When later ones got lost, they tell of an earlier time.
    private func isShownRightly(_ fact: SubscriberFact, _ value: HistoryValue) -> Bool {
        if fact == .autoRenewOffAt, world.loss == .events, case .date(let at) = value {
            return world.truth.switchesOff.contains { $0.at == at && arrival.has(at) }
        }
        return told[fact] == value
    }

    /// True when a purchase of seats of the period got lost, or what tells it from the period's own purchase.
    var mayLackSeats: Bool {
        guard let shown else { return false }
        return shown.isSeatAddition || !arrival.has(shown.charged)
            || world.truth.seatAdditions(of: shown, now).contains { !arrival.knows($0) }
    }

    /// Compares a fact about offers where something got lost. No transaction shows an offer whose period never came, and the
    /// first evidence of an offer may be among the lost.
    private func isOfferRight(_ fact: SubscriberFact, _ value: HistoryValue) -> Bool? {
        if let types = Truth.counts[fact] {
            guard case .integer(let count) = value, case .integer(let all) = truth[fact] else { return false }
            return world.truth.numberKept(types, now) <= Int(count) && count <= all
        }
        let offers = world.truth.accepted.filter { Truth.asked.contains($0.offer.type) && $0.at <= now }
        let kept = world.truth.lastKept(now)
        switch (fact, value) {
        case (.lastOfferAt, .date(let at)):
            return offers.contains { $0.at <= at } && kept <= at
        case (.lastOfferIdentifier, .string(let name)):
            return offers.contains { $0.offer.identifier == name && kept <= $0.at }
        case (.lastOfferType, .integer(let type)):
            return offers.contains { $0.offer.type == type && kept <= $0.at }
        default: return nil
        }
    }

    /// Compares a fact about switches and refunds where single notifications of them got lost. Nothing shows that loss, so a
    /// count may be too low. Nothing that did not happen may be told.
    private func isEventRight(_ fact: SubscriberFact, _ value: HistoryValue) -> Bool? {
        switch (fact, value, truth[fact]) {
        case (.cancellations, .integer(let count), .integer(let all)),
            (.refunds, .integer(let count), .integer(let all)),
            (.returns, .integer(let count), .integer(let all)):
            return count <= all
        case (.paidPeriods, .integer(let count), .integer(let kept)):
            // After a refund that got lost, another purchase looks like an upgrade.
            let lost = world.truth.purchases.count {
                $0.refunds.contains { $0.at <= now && !arrival.has($0.at) }
            }
            return (kept - Int64(lost)...world.truth.paidWithRefunded(fact, now)).contains(count)
        case (.paidMonths, .integer(let count), _):
            return (0...world.truth.paidWithRefunded(fact, now)).contains(count)
        case (.lastCancelAt, .date(let at), _):
            return world.truth.switchesOff.contains { $0.at == at && $0.isCustomer && arrival.has(at) }
        case (.lastRefundAt, .date(let at), _):
            return world.truth.purchases.contains {
                $0.seatRefunds.contains { $0.at == at }
                    || $0.refunds.contains { $0.at == at && $0.percentage > 0 }
            }
        default: return nil
        }
    }

    /// A history is complete when the purchases that have arrived follow each other. Nothing shows that one behind the latest
    /// payload got lost.
    private func isHistoryRight(_ value: HistoryValue?) -> Bool {
        switch value {
        case .boolean(true): knowsPeriod && gapEnds(arrival.seenAt ?? .min).isEmpty
        case .boolean(false): !knowsPeriod || !gapEnds(now).isEmpty
        default: false
        }
    }
}

extension Truth {
    /// The last purchase that has begun and of which a copy has arrived. Seats that were added stand for a period of which none has.
    fileprivate func shown(_ now: Int64, _ arrival: Arrival) -> Purchase? {
        let known = purchases.filter { $0.charged <= now && $0.start <= now && arrival.knows($0) }
        let unknown = periods(now).filter { !arrival.knows($0) }
        func isOf(_ period: Purchase, _ addition: Purchase) -> Bool {
            period.start <= addition.start && addition.start < period.end(now)
        }
        return known.last { one in
            guard one.isSeatAddition else { return true }
            guard let period = unknown.last(where: { isOf($0, one) }) else { return false }
            return !known.contains { $0.isSeatAddition && isOf(period, $0) && $0.start < one.start }
        }
    }
}
