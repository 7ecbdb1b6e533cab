import Facts
@testable import Lives
import NotificationStore
import SubscriberHistory

struct FactsCheck {
    let world: World
    let arrival: Arrival
    let facts: HistoryFacts
    let now: Int64
    let truth: [SubscriberFact: FactValue]
    let shown: Truth.Purchase?
    let told: [SubscriberFact: FactValue]

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

    static let life: Set<SubscriberFact> = lastOffer.union([
        .paidPeriods, .paidMonths, .returns, .offersAccepted, .promotionalOffersAccepted,
        .retentionOffersAccepted,
        .winBackOffersAccepted, .refunds, .lastRefundAt, .cancellations, .lastCancelAt,
    ])

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
    private func isShownRightly(_ fact: SubscriberFact, _ value: FactValue) -> Bool {
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
    private func isOfferRight(_ fact: SubscriberFact, _ value: FactValue) -> Bool? {
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
    private func isEventRight(_ fact: SubscriberFact, _ value: FactValue) -> Bool? {
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
    private func isHistoryRight(_ value: FactValue?) -> Bool {
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

/// Says where a fact may be missing: where the loss of payloads touches what its rule in retention-facts(5) names.
extension FactsCheck {
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

    private var lacksAddedSeats: Bool {
        world.truth.purchases.contains { purchase in
            world.truth.seatAdditions(of: purchase, now).contains { !arrival.knows($0) }
        }
    }

    /// The facts of which Apple has no value for some subscribers.
    private static let optional: Set<SubscriberFact> = [
        .price, .currency, .billingPlanType, .advancedCommerceSku,
    ]

    var knowsPeriod: Bool {
        world.truth.purchases.contains { $0.charged <= now && arrival.knows($0) }
    }

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

struct Arrival {
    let now: Int64
    /// When Apple signed the latest payload; nil when nothing has arrived.
    let seenAt: Int64?
    /// When Apple signed the first and the last copy of a transaction, by the begin of its period.
    private var copies: [Int64: (first: Int64, last: Int64)] = [:]
    private var noted: Set<Int64> = []
    private let lostTimes: Set<Int64>

    init(_ world: World, _ now: Int64) {
        let payloads = world.life.payloads
        self.now = now
        lostTimes = world.lostTimes.filter { $0 <= now }
        var begins: [String: Int64] = [:]
        for payload in payloads.transactions where payload.signedAt <= now {
            guard let begin = payload.columns.purchasedAt else { continue }
            begins[payload.columns.transactionID ?? ""] = begin
            let known = copies[begin] ?? (payload.signedAt, payload.signedAt)
            copies[begin] = (min(known.first, payload.signedAt), max(known.last, payload.signedAt))
        }
        for notification in payloads.notifications where notification.signedAt <= now {
            if let begin = begins[notification.columns.transactionID ?? ""] { noted.insert(begin) }
        }
        seenAt = payloads.renewals.map(\.signedAt).filter { $0 <= now }.max()
    }

    func has(_ time: Int64) -> Bool { time <= now && !lostTimes.contains(time) }

    func lacks(after time: Int64) -> Bool { lostTimes.contains { $0 > time } }

    func knows(_ purchase: Truth.Purchase) -> Bool { copies[purchase.start] != nil }

    func hasNotification(of purchase: Truth.Purchase) -> Bool { noted.contains(purchase.start) }

    func first(_ purchase: Truth.Purchase) -> Int64 { copies[purchase.start]?.first ?? .max }

    func last(_ purchase: Truth.Purchase) -> Int64 { copies[purchase.start]?.last ?? .min }
}
