package import Facts
internal import NotificationStore
internal import System

struct FactDerivation {
    let story: Story
    let completeness: Completeness
    let status: StatusKnowledge
    let redemptions: [Redemption]
    let refunds: Refunds
    let switches: RenewalSwitches
    let unknownOffer: MissingReason?
    /// The last known period has ended, and nothing says what came afterwards; nil when the present is known.
    let unknownPresent: MissingReason?
    init(_ story: Story) {
        self.story = story
        unknownOffer = story.unknownOffer
        completeness = Completeness(story)
        status = StatusKnowledge(story)
        redemptions = RedemptionSearch(story).found
        refunds = Refunds(story)
        switches = RenewalSwitches(story)
        unknownPresent = Self.unknownPresent(story, status)
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
        if let shown = status.status(at: story.now) { return .known(.status, .string(shown.name)) }
        return .missing(.status, status.shown == nil ? status.reason : .ended)
    }

    /// The latest renewal info says whether the subscription renews, unless a later notification says so by itself.
    private func ofAutoRenew() -> FactStatement {
        if let last = switches.last, !story.isStale(last.evidence),
            story.renewal.map({ $0.evidence < last.evidence }) ?? true
        {
            return hasUnknownSwitch(after: last.evidence)
                ? .missing(.autoRenew, .noValue) : .known(.autoRenew, .boolean(last.isOn))
        }
        guard let renewal = story.renewal, hasUnknownSwitch(after: renewal.evidence) else {
            return ofRenewal(.autoRenew)
        }
        return .missing(.autoRenew, .noValue)
    }

    private func hasUnknownSwitch(after evidence: Evidence) -> Bool {
        switches.unknown.map { evidence < $0 } ?? false
    }

    private func ofSwitchOff() -> FactStatement {
        let renews = ofAutoRenew()
        if let reason = renews.reason { return .missing(.autoRenewOffAt, reason) }
        if renews.value == .boolean(true) { return .missing(.autoRenewOffAt, .neverHappened) }
        guard let off = switches.off else { return .missing(.autoRenewOffAt, .eventsIncomplete) }
        return .known(.autoRenewOffAt, .date(off.signedAt))
    }

    private func ofHistory() -> FactStatement {
        .known(.historyComplete, .boolean(completeness.isHistoryComplete))
    }
}

package enum MissingReason: String, Sendable, Hashable, CaseIterable {
    case noTransaction = "no-transaction"
    case noRenewalInfo = "no-renewal-info"
    case noStatus = "no-status"
    case noValue = "no-value"
    case unfitValue = "unfit-value"
    case unknownValue = "unknown-value"
    case ended = "ended"
    case historyIncomplete = "history-incomplete"
    case eventsIncomplete = "events-incomplete"
    case noPrice = "no-price"
    case neverHappened = "never-happened"
    case seatsChanged = "seats-changed"

    package var text: String {
        switch self {
        case .noTransaction: "no transaction of the subscription is in the store"
        case .noRenewalInfo: "no renewal info of the running period is in the store"
        case .noStatus: "no payload shows the state"
        case .noValue: "Apple's payload has no such value"
        case .unfitValue: "Apple's payload has a value that the store cannot keep"
        case .unknownValue: "Apple's payload has a value that this version does not know"
        case .ended: "the known period has ended, and nothing says what came afterwards"
        case .historyIncomplete: "periods may be missing; `retentionctl subscriptions sync` brings them"
        case .eventsIncomplete:
            "notifications may be missing; `retentionctl notifications recover` brings them"
        case .noPrice: "a paid period has no price"
        case .neverHappened: "there was no such event"
        case .seatsChanged:
            "seats of the period were added or refunded, and no payload says how many there are now"
        }
    }
}

package struct FactStatement: Sendable, Hashable {
    package let fact: SubscriberFact
    package let value: FactValue?
    package let reason: MissingReason?

    static func known(_ fact: SubscriberFact, _ value: FactValue) -> Self {
        Self(fact: fact, value: value, reason: nil)
    }

    static func missing(_ fact: SubscriberFact, _ reason: MissingReason) -> Self {
        Self(fact: fact, value: nil, reason: reason)
    }
}

/// Depends on the payloads that Apple had signed by then and on nothing else: not on their order or number, nor on a
/// clock.
package struct HistoryFacts: Sendable, Hashable {
    /// `A.B` stands for type A with subtype B alone. Without older notifications of other types the facts are the same.
    package static let neededTypes: Set = [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF.INCREASE_QUANTITY", "DID_CHANGE_RENEWAL_STATUS",
        "DID_FAIL_TO_RENEW", "DID_RENEW.BILLING_RECOVERY",
        "EXPIRED",
        "GRACE_PERIOD_EXPIRED", "OFFER_REDEEMED", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE",
        "SUBSCRIBED",
    ]

    package static let knownStatuses = Set(SubscriptionStatus.allCases.map(\.rawValue))

    package let statements: [FactStatement]

    package init(_ payloads: SubscriberPayloads, now: Int64) {
        statements = FactDerivation(Story(payloads, now: now)).statements
    }

    package subscript(fact: SubscriberFact) -> FactStatement {
        statements[fact.rawValue]
    }
}

extension FactDerivation {
    func ofTransaction(_ fact: SubscriberFact) -> FactStatement {
        guard let running = story.running else { return .missing(fact, story.reasonForNoPeriod) }
        let found: (value: FactValue?, column: String) =
            switch fact {
            case .currentProductId: (running.columns.productID.map(FactValue.string), "product_id")
            case .subscriptionGroup:
                (running.columns.subscriptionGroupID.map(FactValue.string), "subscription_group_id")
            case .expiresAt: (.date(running.end), "expires_at")
            case .price: (running.columns.price.map(FactValue.integer), "price")
            case .currency: (running.columns.currency.map(FactValue.string), "currency")
            case .storefront: (running.columns.storefront.map(FactValue.string), "storefront")
            case .billingPlanType: (running.columns.billingPlan.map(FactValue.string), "billing_plan")
            case .familyShared:
                (running.columns.ownership.map { .boolean($0 == "FAMILY_SHARED") }, "ownership")
            case .advancedCommerceSku: (running.columns.sku.map(FactValue.string), "sku")
            case .appAccountToken:
                (running.columns.appAccountToken.map(FactValue.string), "app_account_token")
            case .firstPurchaseAt:
                (firstPurchase.map(FactValue.date), "originally_purchased_at")
            default: (nil, "")
            }
        if fact == .firstPurchaseAt, completeness.lacksMigration { return .missing(fact, .historyIncomplete) }
        return statement(fact, found.value, isUnfit: running.copy.unfit.contains(found.column))
    }

    private var firstPurchase: Int64? {
        story.periods.compactMap(\.columns.originallyPurchasedAt).filter(Period.times.contains).min()
    }

    func ofRenewal(_ fact: SubscriberFact) -> FactStatement {
        guard let renewal = story.renewal else { return .missing(fact, .noRenewalInfo) }
        if fact == .autoRenew, let status = renewal.columns.autoRenewStatus, !(0...1).contains(status) {
            return .missing(fact, .unknownValue)
        }
        let found: (value: FactValue?, column: String) =
            switch fact {
            case .renewalProductId:
                (renewal.columns.renewalProductID.map(FactValue.string), "renewal_product_id")
            case .subscribedAt: (renewal.columns.subscribedAt.map(FactValue.date), "subscribed_at")
            case .renewsAt: (renewal.columns.renewsAt.map(FactValue.date), "renews_at")
            case .renewalPrice: (renewal.columns.renewalPrice.map(FactValue.integer), "renewal_price")
            case .autoRenew:
                (renewal.columns.autoRenewStatus.map { .boolean($0 == 1) }, "auto_renew_status")
            default: (nil, "")
            }
        return statement(fact, found.value, isUnfit: renewal.unfit.contains(found.column))
    }

    private func statement(_ fact: SubscriberFact, _ value: FactValue?, isUnfit: Bool) -> FactStatement {
        if let value { return .known(fact, value) }
        return .missing(fact, isUnfit ? .unfitValue : .noValue)
    }

    /// A fact about the offer of the running period. A period that has ended has no offer any more.
    func ofRunningOffer(_ fact: SubscriberFact) -> FactStatement {
        let state = status.status(at: story.now)
        let hasEnded = state == .expired || state == .revoked
        if !hasEnded, let reason = unknownPresent { return .missing(fact, reason) }
        // A later payload may have taken the refund of a transaction back. Without a known state, no payload did.
        let isRefunded = state == nil && (story.running?.revokedAt).map { $0 <= story.now } ?? false
        guard let running = story.running, story.now < running.end, !hasEnded, !isRefunded else {
            return .known(fact, .boolean(false))
        }
        let unfit = running.copy.unfit
        if unfit.contains("offer_type") || (fact == .inTrial && unfit.contains("offer_discount_type")) {
            return .missing(fact, .unfitValue)
        }
        let type = running.columns.offerType
        // Without its kind, an introductory offer that may cost nothing may be a free trial.
        if fact == .inTrial, type == Redemption.Offer.introductory,
            running.columns.offerDiscountType == nil, (running.columns.price ?? 0) == 0
        {
            return .missing(fact, .noValue)
        }
        let value =
            switch fact {
            case .inTrial:
                type == Redemption.Offer.introductory && running.columns.offerDiscountType == "FREE_TRIAL"
            case .inIntroOffer: type == Redemption.Offer.introductory
            case .inOffer: type != nil
            default: type == Redemption.Offer.promotional || type == Redemption.Offer.retention
            }
        return .known(fact, .boolean(value))
    }
}

extension FactDerivation {
    var unknownLife: MissingReason? {
        if story.running == nil { return story.reasonForNoPeriod }
        if !completeness.isHistoryComplete { return .historyIncomplete }
        return unknownPresent
    }

    private static let columnsOfRefunds: Set = ["ownership", "revoked_at", "revocation_type"]

    /// A renewal, also a late one, an upgrade and a purchase in the grace period go on with the period before.
    func ofReturns() -> FactStatement {
        if let reason = unknownLife { return .missing(.returns, reason) }
        if refunds.hasUnnamed { return .missing(.returns, .noValue) }
        if story.periods.contains(where: { $0.copy.unfit.contains("ownership") }) {
            return .missing(.returns, .unfitValue)
        }
        guard story.periods.allSatisfy(\.isOwnershipKnown) else { return .missing(.returns, .unknownValue) }
        let own = story.periods.filter(\.isOwn)
        var count: Int64 = 0
        for (last, next) in zip(own, own.dropFirst())
        where !last.isUpgraded && next.start > refunds.endOfService(of: last) {
            guard let reason = next.columns.reason else {
                return .missing(.returns, next.copy.unfit.contains("reason") ? .unfitValue : .noValue)
            }
            if reason == "PURCHASE", !hadGrace(last, until: next) { count += 1 }
        }
        return .known(.returns, .integer(count))
    }

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
        return .known(fact, .integer(Int64(redemptions.count { types.contains($0.offer.type) })))
    }

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
        case .lastOfferAt: return .known(fact, .date(last.at))
        case .lastOfferType: return .known(fact, .integer(last.offer.type))
        default:
            guard let identifier = last.offer.identifier else { return .missing(fact, .noValue) }
            return .known(fact, .string(identifier))
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
        guard fact == .lastRefundAt else { return .known(fact, .integer(Int64(found.count))) }
        guard let last = found.map(\.at).max() else { return .missing(fact, .neverHappened) }
        // A later copy of a transaction shows a refund of seats, and not when Apple made it.
        guard found.allSatisfy(\.isDated) else { return .missing(fact, .noValue) }
        return .known(fact, .date(last))
    }

    func ofCancellations(_ fact: SubscriberFact) -> FactStatement {
        if story.running == nil { return .missing(fact, story.reasonForNoPeriod) }
        guard completeness.hasEveryEvent, !switches.hasUnseenCancellation else {
            return .missing(fact, .eventsIncomplete)
        }
        if let reason = unknownPresent { return .missing(fact, reason) }
        let found = switches.cancellations
        guard fact == .lastCancelAt else { return .known(fact, .integer(Int64(found.count))) }
        guard let last = found.last else { return .missing(fact, .neverHappened) }
        return .known(fact, .date(last))
    }
}
