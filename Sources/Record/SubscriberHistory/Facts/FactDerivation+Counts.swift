internal import NotificationStore

/// The facts that count over a life.
extension FactDerivation {
    /// Why a count over the whole life is unknown; nil when it is known.
    var unknownLife: MissingReason? {
        if story.running == nil { return .noTransaction }
        if !completeness.isHistoryComplete { return .historyIncomplete }
        return unknownPresent
    }

    func ofPaidPeriods() -> FactStatement {
        if let reason = unknownLife { return .missing(.paidPeriods, reason) }
        var counted: [Evidence] = []
        for (place, period) in story.periods.enumerated() where period.isOwn {
            guard let price = period.columns.price else {
                return .missing(.paidPeriods, period.copy.unfit.contains("price") ? .unfitValue : .noPrice)
            }
            guard price > 0, !period.isRefundedInFull, !isContinued(place) else { continue }
            counted.append(period.copy.evidence)
        }
        return .known(.paidPeriods, .integer(Int64(counted.count)), counted.sorted())
    }

    /// Returns true when the customer upgraded during a period and the upgrade counts as this period.
    private func isContinued(_ place: Int) -> Bool {
        guard story.wasUpgraded(place), place + 1 < story.periods.count else { return false }
        let next = story.periods[place + 1]
        guard next.start <= story.periods[place].end, next.isOwn, !next.isRefundedInFull else { return false }
        return (next.columns.price ?? 0) > 0
    }

    func ofOfferCount(_ fact: SubscriberFact) -> FactStatement {
        if let reason = unknownLife ?? unfitOffer { return .missing(fact, reason) }
        let types: [Int64] =
            switch fact {
            case .promotionalOffersAccepted: [Redemption.Offer.promotional]
            case .retentionOffersAccepted: [Redemption.Offer.retention]
            case .winBackOffersAccepted: [Redemption.Offer.winBack]
            default: Self.askedTypes
            }
        let counted = redemptions.filter { types.contains($0.offer.type) }
        return .known(fact, .integer(Int64(counted.count)), counted.flatMap(\.evidence).sorted())
    }

    /// The offers that a retention message can make.
    private static let askedTypes = [Redemption.Offer.promotional, Redemption.Offer.retention]

    private var unfitOffer: MissingReason? {
        let names: Set = ["offer_type", "offer_identifier"]
        let isUnfit = story.periods.contains { !$0.copy.unfit.isDisjoint(with: names) }
        return isUnfit || story.renewals.contains { !$0.unfit.isDisjoint(with: names) } ? .unfitValue : nil
    }

    func ofLastOffer(_ fact: SubscriberFact) -> FactStatement {
        if story.running == nil { return .missing(fact, .noTransaction) }
        if let reason = unknownPresent ?? unfitOffer { return .missing(fact, reason) }
        guard let last = redemptions.last(where: { Self.askedTypes.contains($0.offer.type) }) else {
            return .missing(fact, completeness.isHistoryComplete ? .neverHappened : .historyIncomplete)
        }
        // Nothing may be missing from the period before the offer on: an earlier start, or a later offer.
        let from = last.place.map { max($0 - 1, 0) }.map { story.periods[$0].start } ?? .min
        guard !story.hasUnusableTransaction, completeness.gaps.allSatisfy({ $0.to <= from }) else {
            return .missing(fact, .historyIncomplete)
        }
        let evidence = last.evidence.sorted()
        switch fact {
        case .lastOfferAt: return .known(fact, .date(last.at), evidence)
        case .lastOfferType: return .known(fact, .integer(last.offer.type), evidence)
        default:
            guard let identifier = last.offer.identifier else { return .missing(fact, .noValue) }
            return .known(fact, .string(identifier), evidence)
        }
    }

    func ofRefunds(_ fact: SubscriberFact) -> FactStatement {
        if let reason = unknownLife { return .missing(fact, reason) }
        var refunds: [String: (at: Int64, evidence: Evidence)] = [:]
        for period in story.periods + story.seatAdditions where period.isRefund {
            refunds[period.id] = (period.columns.revokedAt ?? period.copy.signedAt, period.copy.evidence)
        }
        // A refund of seats leaves the transaction valid, so only the notification shows it.
        for notification in story.notifications {
            guard let id = notification.columns.transactionID else { continue }
            if notification.columns.type == "REFUND", notification.columns.subtype == "SEATS" {
                refunds[id] = (notification.signedAt, notification.evidence)
            } else if notification.columns.type == "REFUND_REVERSED",
                refunds[id].map({ $0.evidence.signedAt <= notification.signedAt }) ?? false,
                !(story.periods + story.seatAdditions).contains(where: { $0.id == id && $0.isRefund })
            {
                refunds[id] = nil
            }
        }
        let evidence = refunds.values.map(\.evidence).sorted()
        guard fact == .lastRefundAt else { return .known(fact, .integer(Int64(refunds.count)), evidence) }
        guard let last = refunds.values.map(\.at).max() else { return .missing(fact, .neverHappened) }
        return .known(fact, .date(last), evidence)
    }

    func ofCancellations(_ fact: SubscriberFact) -> FactStatement {
        if story.running == nil { return .missing(fact, .noTransaction) }
        guard completeness.hasEveryEvent else { return .missing(fact, .eventsIncomplete) }
        if let reason = unknownPresent { return .missing(fact, reason) }
        let found = switches.cancellations
        let evidence = found.map(\.evidence)
        guard fact == .lastCancelAt else { return .known(fact, .integer(Int64(found.count)), evidence) }
        guard let last = found.last else { return .missing(fact, .neverHappened) }
        return .known(fact, .date(last.at), [last.evidence])
    }
}
