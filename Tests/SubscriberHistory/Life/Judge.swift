import SubscriberHistory

/// Compares facts with the truth.
struct Judge {
    let world: World
    let truth: [SubscriberFact: HistoryValue]
    let facts: HistoryFacts
    let now: Int64

    init(world: World, facts: HistoryFacts, now: Int64) {
        self.world = world
        truth = world.truth.values(now)
        self.facts = facts
        self.now = now
    }

    /// The facts that tell what the latest payload shows. When later ones got lost, they tell of an earlier time.
    private static let present: Set<SubscriberFact> = [
        .currentProductId, .renewalProductId, .subscriptionGroup, .status, .autoRenew, .autoRenewOffAt,
        .subscribedAt, .expiresAt, .renewsAt, .price, .renewalPrice, .currency, .storefront, .seats,
    ]

    /// The facts of the whole life.
    static let life: Set<SubscriberFact> = [
        .paidPeriods, .returns, .offersAccepted, .promotionalOffersAccepted, .retentionOffersAccepted,
        .winBackOffersAccepted, .refunds, .lastRefundAt, .cancellations, .lastCancelAt, .lastOfferAt,
        .lastOfferType, .lastOfferIdentifier,
    ]

    /// Says what is wrong with a statement; nil when nothing is.
    func fault(_ statement: FactStatement) -> String? {
        let fact = statement.fact
        let said = Expected(statement)
        let really = truth[fact].map { "\($0)" } ?? "none"
        let text = "\(world.loss), \(fact) at \(now): \(said), the truth: \(really)"
        if fact == .historyComplete { return isHistoryRight(statement.value) ? nil : text }
        guard let value = statement.value else {
            return isMissingRightly(statement) ? nil : text
        }
        if world.loss != .nothing, let isRight = isOfferRight(fact, value) { return isRight ? nil : text }
        if world.loss == .events, let isRight = isEventRight(fact, value) { return isRight ? nil : text }
        // The life has not told of it.
        if fact == .renewalPrice { return nil }
        if isOver, Self.present.contains(fact) { return nil }
        return truth[fact] == value ? nil : text
    }

    /// Compares a fact about offers where something got lost. No transaction shows an offer whose period never came, and the
    /// first evidence of an offer may be among the lost.
    private func isOfferRight(_ fact: SubscriberFact, _ value: HistoryValue) -> Bool? {
        if let types = Truth.counts[fact] {
            guard case .integer(let count) = value, case .integer(let all) = truth[fact] else { return false }
            return world.truth.numberKept(types, now) <= Int(count) && count <= all
        }
        let offers = world.truth.accepted.filter { [2, 5].contains($0.offer.type) && $0.at <= now }
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
    /// count may be too low, and a state may be an earlier one. Nothing that did not happen may be told.
    private func isEventRight(_ fact: SubscriberFact, _ value: HistoryValue) -> Bool? {
        switch (fact, value, truth[fact]) {
        case (.cancellations, .integer(let count), .integer(let all)),
            (.refunds, .integer(let count), .integer(let all)):
            return count <= all
        case (.paidPeriods, .integer(let count), .integer(let kept)): return count >= kept
        case (.lastCancelAt, .date(let at), _):
            return world.truth.switchesOff.contains { $0.at == at && $0.isCustomer }
        case (.autoRenewOffAt, .date(let at), _): return world.truth.switchesOff.contains { $0.at == at }
        case (.lastRefundAt, .date(let at), _):
            return world.truth.purchases.contains { $0.refunds.contains { $0.at == at && $0.percentage > 0 } }
        case (.status, _, _), (.autoRenew, _, _), (.inTrial, _, _), (.inIntroOffer, _, _),
            (.inRetentionOffer, _, _), (.inOffer, _, _):
            return true
        default: return nil
        }
    }

    /// True when renewals got lost, and the known period has ended.
    private var isOver: Bool {
        guard world.loss != .nothing, case .date(let end) = facts[.expiresAt].value else { return false }
        return end <= now
    }

    /// Where something got lost, the counts show that a history is complete.
    private func isHistoryRight(_ value: HistoryValue?) -> Bool {
        world.loss != .nothing || value == .boolean(world.times[0] <= now && !world.truth.hasLapse(now))
    }

    /// Returns true when the rule allows a fact to be missing.
    private func isMissingRightly(_ statement: FactStatement) -> Bool {
        let fact = statement.fact
        switch statement.reason {
        case .neverHappened:
            if isOver, Self.present.contains(fact) { return true }
            if world.loss != .nothing, [.lastOfferAt, .lastOfferIdentifier, .lastOfferType].contains(fact) {
                return world.truth.lastKept(now) == .min
            }
            if world.loss == .events, [.lastCancelAt, .lastRefundAt, .autoRenewOffAt].contains(fact) {
                return true
            }
            return truth[fact] == nil || (fact == .autoRenewOffAt && truth[.autoRenew] == .boolean(true))
        case .noValue: return [.billingPlanType, .advancedCommerceSku].contains(fact)
        case .historyIncomplete:
            return world.loss != .nothing || (Self.life.contains(fact) && world.truth.hasLapse(now))
        case .eventsIncomplete:
            // Apple sends no notice of a switch when the subscription ends for another reason.
            if fact == .autoRenewOffAt {
                return world.loss != .nothing || truth[.status] == .string("expired")
            }
            return world.loss != .nothing || world.truth.hasLapse(now)
        case .ended, .noTransaction, .noRenewalInfo, .noStatus:
            return world.loss != .nothing || now < world.times[0]
        case .unfitValue, .unknownValue, .noPrice, .seatsChanged, nil: return false
        }
    }
}
