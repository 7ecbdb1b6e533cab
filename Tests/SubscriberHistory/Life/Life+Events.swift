import NotificationStore

/// Purchases, renewals and ends.
extension Life {
    /// Adds a transaction that begins at a time.
    mutating func pay(_ reason: String, from start: Int64, until end: Int64? = nil) {
        var columns = TransactionColumns()
        let number = transactions.count + 1
        columns.transactionID = "\(subscriber)-\(number)"
        columns.originalTransactionID = subscriber
        columns.webOrderLineItemID = "w\(number)"
        columns.appAccountToken = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        columns.productID = plan.product
        columns.subscriptionGroupID = plan.group
        columns.type = "Auto-Renewable Subscription"
        columns.ownership = ownership
        columns.purchasedAt = start
        columns.originallyPurchasedAt = transactions.first?.originallyPurchasedAt ?? start
        columns.expiresAt = end ?? start + (offer?.days.map { $0 * Self.day } ?? plan.length)
        columns.quantity = plan.quantity
        columns.reason = reason
        columns.price = offer.map { $0.price } ?? plan.price
        columns.currency = columns.price == nil ? nil : "USD"
        columns.storefront = "USA"
        columns.billingPlan = plan.billing
        columns.offerType = offer?.type
        columns.offerIdentifier = offer?.identifier
        columns.offerDiscountType = offer?.discount
        transactions.append(columns)
    }

    /// The end of the running period.
    var end: Int64 { transactions.last?.expiresAt ?? now }

    /// Buys a plan, for the first time or again.
    mutating func buy(_ plan: Plan = .monthly, _ offer: Offer? = nil) {
        (self.plan, coming, self.offer, promised) = (plan, plan, offer, nil)
        pay("PURCHASE", from: now)
        let since = transactions.count == 1 || now > lastEnd + 60 * Self.day ? now : renewal.subscribedAt
        renewal = RenewalColumns()
        renewal.subscribedAt = since
        renewal.autoRenewStatus = 1
        status = 1
        notify("SUBSCRIBED", transactions.count == 1 ? "INITIAL_BUY" : "RESUBSCRIBE")
    }

    /// The end of the period before the running one.
    private var lastEnd: Int64 { transactions.dropLast().last?.expiresAt ?? now }

    /// Notes that nothing is due any more.
    mutating func settle() {
        renewal.isInBillingRetry = nil
        renewal.gracePeriodExpiresAt = nil
        renewal.expirationIntent = nil
        status = 1
    }

    /// Goes on with the coming plan and offer.
    private mutating func goOn() {
        let rest = offer.flatMap { offer in
            var offer = offer
            offer.periods -= 1
            return offer.periods > 0 && coming.product == plan.product ? offer : nil
        }
        (plan, offer, promised) = (coming, promised ?? rest, nil)
        settle()
    }

    /// Renews at the end of the period, as often as said. Apple charges so many hours `ahead`.
    mutating func renew(_ times: Int = 1, ahead: Int64 = 0) {
        for _ in 0..<times {
            now = max(now, end - ahead * 3_600_000)
            goOn()
            pay("RENEWAL", from: end)
            notify("DID_RENEW")
        }
    }

    /// Collects a price that was due. The period begins at the end of the last one while a grace period lasts, or else now.
    mutating func recover() {
        let start = renewal.gracePeriodExpiresAt.map { now < $0 } ?? false ? end : now
        goOn()
        pay("RENEWAL", from: start)
        notify("DID_RENEW", "BILLING_RECOVERY")
    }

    /// Fails to collect the price at the end of the period.
    mutating func failToRenew(graceDays: Int64? = nil) {
        now = max(now, end)
        renewal.isInBillingRetry = true
        renewal.gracePeriodExpiresAt = graceDays.map { end + $0 * Self.day }
        status = graceDays == nil ? 3 : 4
        notify("DID_FAIL_TO_RENEW", graceDays == nil ? nil : "GRACE_PERIOD")
    }

    /// Ends the grace period.
    mutating func endGrace() {
        now = max(now, renewal.gracePeriodExpiresAt ?? now)
        status = 3
        notify("GRACE_PERIOD_EXPIRED")
    }

    /// Ends the subscription, at the end of the period or later.
    mutating func expire(_ subtype: String = "VOLUNTARY") {
        now = max(now, end)
        let intents: [String: Int64] = [
            "VOLUNTARY": 1, "BILLING_RETRY": 2, "PRICE_INCREASE": 3, "PRODUCT_NOT_FOR_SALE": 4,
        ]
        renewal.expirationIntent = intents[subtype]
        renewal.autoRenewStatus = 0
        renewal.isInBillingRetry = nil
        renewal.gracePeriodExpiresAt = nil
        status = 2
        notify("EXPIRED", subtype)
    }

    /// The customer switches renewal off, or on again. Apple sends a notification without subtype in some cases.
    mutating func cancel(hasSubtype: Bool = true) {
        renewal.autoRenewStatus = 0
        notify("DID_CHANGE_RENEWAL_STATUS", hasSubtype ? "AUTO_RENEW_DISABLED" : nil)
    }

    mutating func resume(hasSubtype: Bool = true) {
        renewal.autoRenewStatus = 1
        notify("DID_CHANGE_RENEWAL_STATUS", hasSubtype ? "AUTO_RENEW_ENABLED" : nil)
    }
}
