internal import NotificationStore

/// The facts that count over a life.
extension FactDerivation {
    /// Why a count over the whole life is unknown; nil when it is known.
    var unknownLife: MissingReason? {
        if story.running == nil { return story.reasonForNoPeriod }
        if !completeness.isHistoryComplete { return .historyIncomplete }
        return unknownPresent
    }

    /// The columns that say whether the customer paid a period.
    private static let columnsOfPayment: Set = [
        "ownership", "additional_reason", "is_upgraded", "price", "revoked_at", "revocation_type",
        "revocation_percentage",
    ]

    /// The columns that say whether Apple refunded a transaction.
    private static let columnsOfRefunds: Set = ["ownership", "revoked_at", "revocation_type"]

    func ofPaidPeriods() -> FactStatement {
        if let reason = unknownLife { return .missing(.paidPeriods, reason) }
        if refunds.hasUnnamed { return .missing(.paidPeriods, .noValue) }
        var counted: [Evidence] = []
        var count: Int64 = 0
        // The end of the period that counted last. An upgrade that begins inside that period goes on with it; another upgrade
        // after that end is a period of its own.
        var countedUntil: Int64?
        for (place, period) in story.periods.enumerated() where period.isOwn {
            if !period.copy.unfit.isDisjoint(with: Self.columnsOfPayment) {
                return .missing(.paidPeriods, .unfitValue)
            }
            if !period.isOwnershipKnown { return .missing(.paidPeriods, .unknownValue) }
            guard let price = period.columns.price else { return .missing(.paidPeriods, .noPrice) }
            let refund = refunds[period]?.share
            if price > 0, refund == .unknown { return .missing(.paidPeriods, .unknownValue) }
            if !isContinuation(place) { countedUntil = nil }
            guard price > 0, refund != .full else { continue }
            if countedUntil.map({ period.start >= $0 }) ?? true {
                count += 1
                countedUntil = period.end
            }
            counted.append(period.copy.evidence)
        }
        return known(.paidPeriods, .integer(count), counted)
    }

    /// Returns true when a period is an upgrade of the one before.
    private func isContinuation(_ place: Int) -> Bool {
        guard place > 0, story.periods[place - 1].isOwn, story.wasUpgraded(place - 1) else { return false }
        return story.periods[place].start <= story.periods[place - 1].end
    }

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
            $0.columns.type == "DID_FAIL_TO_RENEW" && $0.columns.transactionID == last.id
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
        if refunds.hasUnnamed || refunds.hasUnnamedSeats { return .missing(fact, .noValue) }
        let periods = story.periods + story.seatAdditions
        if periods.contains(where: { !$0.copy.unfit.isDisjoint(with: Self.columnsOfRefunds) }) {
            return .missing(fact, .unfitValue)
        }
        let found = refunds.all.values
        guard fact == .lastRefundAt else {
            return known(fact, .integer(Int64(found.count)), found.map(\.evidence))
        }
        guard let last = found.map(\.at).max() else { return .missing(fact, .neverHappened) }
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
