internal import NotificationStore

/// Derives facts from a story.
struct FactDerivation {
    private(set) var story: Story
    let completeness: Completeness
    let status: StatusKnowledge
    let redemptions: [Redemption]
    let switches: RenewalSwitches

    init(_ story: Story) {
        self.story = story
        completeness = Completeness(story)
        status = StatusKnowledge(story)
        redemptions = RedemptionSearch(story).found
        switches = RenewalSwitches(story)
    }

    /// The same at a later time, by which no other payload has come.
    func at(_ now: Int64) -> Self {
        var later = self
        later.story.now = now
        return later
    }

    /// One statement for each fact.
    var statements: [FactStatement] { SubscriberFact.allCases.map(statement) }

    func statement(of fact: SubscriberFact) -> FactStatement {
        switch fact {
        case .currentProductId, .subscriptionGroup, .firstPurchaseAt, .expiresAt, .price, .currency,
            .storefront,
            .billingPlanType, .seats, .familyShared, .advancedCommerceSku, .appAccountToken:
            ofTransaction(fact)
        case .renewalProductId, .autoRenew, .subscribedAt, .renewsAt, .renewalPrice: ofRenewal(fact)
        case .inTrial, .inIntroOffer, .inRetentionOffer: ofRunningOffer(fact)
        case .status: ofStatus()
        case .autoRenewOffAt: ofSwitchOff()
        case .paidPeriods: ofPaidPeriods()
        case .offersAccepted, .promotionalOffersAccepted, .retentionOffersAccepted, .winBackOffersAccepted:
            ofOfferCount(fact)
        case .lastOfferAt, .lastOfferIdentifier, .lastOfferType: ofLastOffer(fact)
        case .refunds, .lastRefundAt: ofRefunds(fact)
        case .cancellations, .lastCancelAt: ofCancellations(fact)
        case .historyComplete: ofHistory()
        }
    }

    /// Why the present is unknown: the last known period has ended, and nothing says what came afterwards. Nil when the
    /// present is known.
    var unknownPresent: MissingReason? {
        guard let running = story.running else { return .noTransaction }
        if story.now < running.end { return nil }
        if status.status(at: story.now) != nil { return nil }
        return status.shown == nil ? .noStatus : .ended
    }

    private func ofStatus() -> FactStatement {
        if let known = status.status(at: story.now), let evidence = status.evidence {
            return .known(.status, .string(known.name), [evidence])
        }
        return .missing(.status, status.shown == nil ? .noStatus : .ended)
    }

    private func ofSwitchOff() -> FactStatement {
        guard let renewal = story.renewal else { return .missing(.autoRenewOffAt, .noRenewalInfo) }
        guard renewal.columns.autoRenewStatus == 0 else { return .missing(.autoRenewOffAt, .neverHappened) }
        guard let off = switches.off else { return .missing(.autoRenewOffAt, .eventsIncomplete) }
        return .known(.autoRenewOffAt, .date(off.signedAt), [off])
    }

    private func ofHistory() -> FactStatement {
        let evidence = story.periods.map(\.copy.evidence).sorted()
        return .known(.historyComplete, .boolean(completeness.isHistoryComplete), evidence)
    }
}
