internal import NotificationStore

/// The facts that count over a life.
extension FactDerivation {
    /// Why a count over the whole life is unknown; nil when it is known.
    var unknownLife: MissingReason? {
        if story.running == nil { return story.reasonForNoPeriod }
        if !completeness.isHistoryComplete { return .historyIncomplete }
        return unknownPresent
    }

    /// The columns that say whether Apple refunded a transaction.
    private static let columnsOfRefunds: Set = ["ownership", "revoked_at", "revocation_type"]

    /// Counts the purchases that came after a time without the subscription. A renewal, also a late one, an upgrade and a
    /// purchase in the grace period go on with the period before.
    func ofReturns() -> FactStatement {
        if let reason = unknownLife { return .missing(.returns, reason) }
        if refunds.hasUnnamed { return .missing(.returns, .noValue) }
        if story.periods.contains(where: { $0.copy.unfit.contains("ownership") }) {
            return .missing(.returns, .unfitValue)
        }
        guard story.periods.allSatisfy(\.isOwnershipKnown) else { return .missing(.returns, .unknownValue) }
        let own = story.periods.filter(\.isOwn)
        var found: [Evidence] = []
        for (last, next) in zip(own, own.dropFirst())
        where !last.isUpgraded && next.start > refunds.endOfService(of: last) {
            guard let reason = next.columns.reason else {
                return .missing(.returns, next.copy.unfit.contains("reason") ? .unfitValue : .noValue)
            }
            if reason == "PURCHASE", !hadGrace(last, until: next) { found.append(next.copy.evidence) }
        }
        return known(.returns, .integer(Int64(found.count)), found)
    }

    /// Returns true when the grace period of a period lasted until a purchase.
    private func hadGrace(_ last: Period, until next: Period) -> Bool {
        let failure = story.notifications.last {
            $0.columns.type == "DID_FAIL_TO_RENEW" && last.isNamed($0.columns.transactionID)
        }
        guard let failure, let end = story.renewal(of: failure)?.columns.gracePeriodExpiresAt else {
            return false
        }
        return next.start < end
    }

    func ofOfferCount(_ fact: SubscriberFact) -> FactStatement {
        if let reason = unknownLife ?? unknownOffer { return .missing(fact, reason) }
        let types: [Int64] =
            switch fact {
            case .promotionalOffersAccepted: [Redemption.Offer.promotional]
            case .retentionOffersAccepted: [Redemption.Offer.retention]
            case .winBackOffersAccepted: [Redemption.Offer.winBack]
            default: Self.askedTypes
            }
        let counted = redemptions.filter { types.contains($0.offer.type) }
        return known(fact, .integer(Int64(counted.count)), counted.flatMap(\.evidence))
    }

    /// The offers that a retention message can make.
    private static let askedTypes = [Redemption.Offer.promotional, Redemption.Offer.retention]

    func ofLastOffer(_ fact: SubscriberFact) -> FactStatement {
        if story.running == nil { return .missing(fact, story.reasonForNoPeriod) }
        if let reason = unknownPresent ?? unknownOffer { return .missing(fact, reason) }
        guard let last = redemptions.last(where: { Self.askedTypes.contains($0.offer.type) }) else {
            return .missing(fact, completeness.isHistoryComplete ? .neverHappened : .historyIncomplete)
        }
        // Nothing may be missing from there on: an earlier begin of this offer, or a later offer.
        guard !story.hasUnusableTransaction, completeness.gaps.allSatisfy({ $0.to <= last.knownFrom }) else {
            return .missing(fact, .historyIncomplete)
        }
        switch fact {
        case .lastOfferAt: return known(fact, .date(last.at), last.evidence)
        case .lastOfferType: return known(fact, .integer(last.offer.type), last.evidence)
        default:
            guard let identifier = last.offer.identifier else { return .missing(fact, .noValue) }
            return known(fact, .string(identifier), last.evidence)
        }
    }

    func ofRefunds(_ fact: SubscriberFact) -> FactStatement {
        if let reason = unknownLife { return .missing(fact, reason) }
        guard completeness.hasEveryRefund else { return .missing(fact, .eventsIncomplete) }
        if refunds.hasUnnamed || refunds.unnamedSeatsAt != nil { return .missing(fact, .noValue) }
        let purchases = story.periods.flatMap(\.transactions)
        if purchases.contains(where: { !$0.copy.unfit.isDisjoint(with: Self.columnsOfRefunds) }) {
            return .missing(fact, .unfitValue)
        }
        let found = refunds.all.values
        guard fact == .lastRefundAt else {
            return known(fact, .integer(Int64(found.count)), found.map(\.evidence))
        }
        guard let last = found.map(\.at).max() else { return .missing(fact, .neverHappened) }
        // A later copy of a transaction shows a refund of seats, and not when Apple made it.
        guard found.allSatisfy(\.isDated) else { return .missing(fact, .noValue) }
        return known(fact, .date(last), found.map(\.evidence))
    }

    func ofCancellations(_ fact: SubscriberFact) -> FactStatement {
        if story.running == nil { return .missing(fact, story.reasonForNoPeriod) }
        guard completeness.hasEveryEvent, !switches.hasUnseenCancellation else {
            return .missing(fact, .eventsIncomplete)
        }
        if let reason = unknownPresent { return .missing(fact, reason) }
        let found = switches.cancellations
        guard fact == .lastCancelAt else {
            return known(fact, .integer(Int64(found.count)), found.map(\.evidence))
        }
        guard let last = found.last else { return .missing(fact, .neverHappened) }
        return known(fact, .date(last.at), [last.evidence])
    }
}
