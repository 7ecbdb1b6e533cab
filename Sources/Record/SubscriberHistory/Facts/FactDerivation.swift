internal import NotificationStore

/// Derives facts from a story.
struct FactDerivation {
    let story: Story
    let completeness: Completeness
    let status: StatusKnowledge
    let redemptions: [Redemption]
    let refunds: Refunds
    let switches: RenewalSwitches
    /// Why an accepted offer may be unknown; nil when each is known.
    let unknownOffer: MissingReason?
    /// Why the present is unknown: the last known period has ended, and nothing says what came afterwards. Nil when the
    /// present is known.
    let unknownPresent: MissingReason?
    /// False when nobody asks from which payloads the facts follow.
    private let listsEvidence: Bool

    init(_ story: Story, listsEvidence: Bool) {
        self.story = story
        self.listsEvidence = listsEvidence
        unknownOffer = story.unknownOffer
        completeness = Completeness(story)
        status = StatusKnowledge(story)
        redemptions = RedemptionSearch(story).found
        refunds = Refunds(story)
        switches = RenewalSwitches(story)
        unknownPresent = Self.unknownPresent(story, status)
    }

    /// A fact that is known, and the payloads from which it follows.
    func known(_ fact: SubscriberFact, _ value: HistoryValue, _ evidence: @autoclosure () -> [Evidence])
        -> FactStatement
    {
        .known(fact, value, listsEvidence ? evidence().sorted() : [])
    }

    var statements: [FactStatement] { SubscriberFact.allCases.map(statement) }

    func statement(of fact: SubscriberFact) -> FactStatement {
        switch fact {
        case .currentProductId, .subscriptionGroup, .firstPurchaseAt, .expiresAt, .price, .currency,
            .storefront,
            .billingPlanType, .familyShared, .advancedCommerceSku, .appAccountToken:
            ofTransaction(fact)
        case .autoRenew: ofAutoRenew()
        case .renewalProductId, .subscribedAt, .renewsAt, .renewalPrice: ofRenewal(fact)
        case .inTrial, .inIntroOffer, .inRetentionOffer, .inOffer: ofRunningOffer(fact)
        case .status: ofStatus()
        case .autoRenewOffAt: ofSwitchOff()
        case .paidPeriods: ofPaidPeriods()
        case .paidMonths: ofPaidMonths()
        case .seats: ofSeats()
        case .returns: ofReturns()
        case .offersAccepted, .promotionalOffersAccepted, .retentionOffersAccepted, .winBackOffersAccepted:
            ofOfferCount(fact)
        case .lastOfferAt, .lastOfferIdentifier, .lastOfferType: ofLastOffer(fact)
        case .refunds, .lastRefundAt: ofRefunds(fact)
        case .cancellations, .lastCancelAt: ofCancellations(fact)
        case .historyComplete: ofHistory()
        }
    }

    private static func unknownPresent(_ story: Story, _ status: StatusKnowledge) -> MissingReason? {
        guard let running = story.running else { return story.reasonForNoPeriod }
        if story.now < running.end { return nil }
        if status.status(at: story.now) != nil { return nil }
        return status.shown == nil ? status.reason : .ended
    }

    private func ofStatus() -> FactStatement {
        if let shown = status.status(at: story.now), let evidence = status.evidence {
            return known(.status, .string(shown.name), [evidence])
        }
        return .missing(.status, status.shown == nil ? status.reason : .ended)
    }

    /// The latest renewal info says whether the subscription renews, unless a later notification says so by itself.
    private func ofAutoRenew() -> FactStatement {
        if let last = switches.last, !story.isStale(last.evidence),
            story.renewal.map({ $0.evidence < last.evidence }) ?? true
        {
            return hasUnknownSwitch(after: last.evidence)
                ? .missing(.autoRenew, .noValue) : known(.autoRenew, .boolean(last.isOn), [last.evidence])
        }
        guard let renewal = story.renewal, hasUnknownSwitch(after: renewal.evidence) else {
            return ofRenewal(.autoRenew)
        }
        return .missing(.autoRenew, .noValue)
    }

    /// Returns true when renewal was switched after a payload, and nobody knows whether it was on or off.
    private func hasUnknownSwitch(after evidence: Evidence) -> Bool {
        switches.unknown.map { evidence < $0 } ?? false
    }

    private func ofSwitchOff() -> FactStatement {
        let renews = ofAutoRenew()
        if let reason = renews.reason { return .missing(.autoRenewOffAt, reason) }
        if renews.value == .boolean(true) { return .missing(.autoRenewOffAt, .neverHappened) }
        guard let off = switches.off else { return .missing(.autoRenewOffAt, .eventsIncomplete) }
        return known(.autoRenewOffAt, .date(off.signedAt), [off])
    }

    private func ofHistory() -> FactStatement {
        known(.historyComplete, .boolean(completeness.isHistoryComplete), story.periods.map(\.copy.evidence))
    }
}
