internal import NotificationStore

/// The facts that one payload has.
extension FactDerivation {
    /// A fact from the running period's transaction.
    func ofTransaction(_ fact: SubscriberFact) -> FactStatement {
        guard let running = story.running else { return .missing(fact, story.reasonForNoPeriod) }
        let found: (value: HistoryValue?, column: String) =
            switch fact {
            case .currentProductId: (running.columns.productID.map(HistoryValue.string), "product_id")
            case .subscriptionGroup:
                (running.columns.subscriptionGroupID.map(HistoryValue.string), "subscription_group_id")
            case .expiresAt: (.date(running.end), "expires_at")
            case .price: (running.columns.price.map(HistoryValue.integer), "price")
            case .currency: (running.columns.currency.map(HistoryValue.string), "currency")
            case .storefront: (running.columns.storefront.map(HistoryValue.string), "storefront")
            case .billingPlanType: (running.columns.billingPlan.map(HistoryValue.string), "billing_plan")
            case .familyShared:
                (running.columns.ownership.map { .boolean($0 == "FAMILY_SHARED") }, "ownership")
            case .advancedCommerceSku: (running.columns.sku.map(HistoryValue.string), "sku")
            case .appAccountToken:
                (running.columns.appAccountToken.map(HistoryValue.string), "app_account_token")
            case .firstPurchaseAt:
                (firstPurchase.map(HistoryValue.date), "originally_purchased_at")
            default: (nil, "")
            }
        if fact == .firstPurchaseAt, completeness.lacksMigration { return .missing(fact, .historyIncomplete) }
        return statement(
            fact, found.value, isUnfit: running.copy.unfit.contains(found.column), running.sources)
    }

    private var firstPurchase: Int64? {
        story.periods.compactMap(\.columns.originallyPurchasedAt).filter(Period.times.contains).min()
    }

    /// A fact from the latest renewal info.
    func ofRenewal(_ fact: SubscriberFact) -> FactStatement {
        guard let renewal = story.renewal else { return .missing(fact, .noRenewalInfo) }
        if fact == .autoRenew, let status = renewal.columns.autoRenewStatus, !(0...1).contains(status) {
            return .missing(fact, .unknownValue)
        }
        let found: (value: HistoryValue?, column: String) =
            switch fact {
            case .renewalProductId:
                (renewal.columns.renewalProductID.map(HistoryValue.string), "renewal_product_id")
            case .subscribedAt: (renewal.columns.subscribedAt.map(HistoryValue.date), "subscribed_at")
            case .renewsAt: (renewal.columns.renewsAt.map(HistoryValue.date), "renews_at")
            case .renewalPrice: (renewal.columns.renewalPrice.map(HistoryValue.integer), "renewal_price")
            case .autoRenew:
                (renewal.columns.autoRenewStatus.map { .boolean($0 == 1) }, "auto_renew_status")
            default: (nil, "")
            }
        return statement(fact, found.value, isUnfit: renewal.unfit.contains(found.column), [renewal.evidence])
    }

    private func statement(
        _ fact: SubscriberFact, _ value: HistoryValue?, isUnfit: Bool, _ evidence: [Evidence]
    ) -> FactStatement {
        if let value { return known(fact, value, evidence) }
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
            return known(
                fact,
                .boolean(false),
                Array(Set([story.running?.copy.evidence, status.evidence].compactMap { $0 }))
            )
        }
        let evidence = running.copy.evidence
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
        return known(fact, .boolean(value), [evidence])
    }
}
