import NotificationStore
import SubscriberHistory

/// Writes the payloads that Apple would send about one subscriber.
///
/// Each event moves the subscriber on and sends a notification with a new copy of a transaction and a new renewal info, all
/// signed at ``now``. A test moves the time with ``to(_:)``; renewals move it themselves.
struct Life {
    static let day: Int64 = 86_400_000
    /// The time of day 0: 2026-01-01, milliseconds since 1970.
    static let birth: Int64 = 1_767_225_600_000

    var payloads = SubscriberPayloads()
    /// The time of the next event, milliseconds since 1970.
    var now = Life.birth
    var isDelivered = true
    var (hasTransaction, hasRenewal) = (true, true)
    var alteringTransaction: @Sendable (inout TransactionColumns) -> Void = { _ in }
    var alteringRenewal: @Sendable (inout RenewalColumns) -> Void = { _ in }
    var unfit: Set<String> = []

    var (plan, coming) = (Plan.monthly, Plan.monthly)
    /// The offer of the running period with the number of periods that it still lasts, and the one of the coming period.
    var (offer, promised): (Offer?, Offer?) = (nil, nil)
    var transactions: [TransactionColumns] = []
    var saved: [TransactionColumns] = []
    var renewal = RenewalColumns()
    var status: Int64 = 1
    var subscriber = "1000"
    var ownership: String? = "PURCHASED"
    var twins: Set<String> = []
    private var count = 0

    /// Returns the time of a day, milliseconds since 1970.
    static func time(_ days: Double) -> Int64 { birth + Int64((days * Double(day)).rounded()) }

    mutating func to(_ days: Double) { now = Self.time(days) }

    var place: Int { transactions.count - 1 }

    mutating func losing(_ events: (inout Life) -> Void) {
        isDelivered = false
        events(&self)
        isDelivered = true
    }

    /// Sends a notification about the transaction at a place; nil for the last one.
    mutating func notify(_ type: String, _ subtype: String? = nil, about place: Int? = nil) {
        let transaction = transactions[place ?? self.place]
        let renewal = isDelivered && hasRenewal ? signRenewal() : nil
        let copy = isDelivered && hasTransaction ? sign(transaction) : nil
        guard isDelivered else { return }
        var columns = NotificationColumns()
        columns.type = type
        columns.subtype = subtype
        columns.version = "2.0"
        columns.signedAt = now
        columns.object = "data"
        columns.status = unfit.contains("status") ? nil : status
        columns.originalTransactionID = subscriber
        columns.transactionID = copy?.columns.transactionID
        columns.productID = transaction.productID
        let evidence = Evidence(.notification, name("n"), signedAt: now)
        payloads.notifications.append(HistoryPayload(evidence, columns, unfit: unfit))
        payloads.renewalOfNotification[evidence.name] = renewal
    }

    mutating func sync() { sync(Set(transactions.compactMap(\.originalTransactionID))) }

    mutating func syncAlone() { sync([subscriber]) }

    private mutating func sync(_ subscriptions: Set<String>) {
        guard isDelivered else { return }
        for transaction in transactions
        where transaction.originalTransactionID.map(subscriptions.contains) ?? false { sign(transaction) }
        _ = signRenewal()
        for subscription in subscriptions { payloads.syncedAt[subscription] = now }
    }

    @discardableResult
    mutating func sign(_ transaction: TransactionColumns) -> HistoryPayload<TransactionColumns> {
        var columns = transaction
        columns.signedAt = now
        if let id = columns.transactionID, twins.contains(id), count % 2 == 0 {
            columns.transactionID = id + "-again"
        }
        alteringTransaction(&columns)
        let payload = HistoryPayload(Evidence(.transaction, name("t"), signedAt: now), columns, unfit: unfit)
        payloads.transactions.append(payload)
        return payload
    }

    private var comingOffer: Offer? {
        promised ?? (coming.product == plan.product ? offer.flatMap { $0.periods > 1 ? $0 : nil } : nil)
    }
    var comingPrice: Int64? { comingOffer.map { $0.price } ?? coming.price }

    mutating func signRenewal() -> String {
        var columns = renewal
        columns.signedAt = now
        columns.originalTransactionID = subscriber
        columns.productID = transactions.last?.productID
        columns.renewalProductID = coming.product
        let offer = comingOffer
        columns.renewalPrice = comingPrice
        columns.offerType = offer?.type
        columns.offerIdentifier = offer?.identifier
        columns.offerDiscountType = offer?.discount
        columns.renewsAt = transactions.last?.expiresAt
        alteringRenewal(&columns)
        let payload = HistoryPayload(Evidence(.renewal, name("r"), signedAt: now), columns, unfit: unfit)
        payloads.renewals.append(payload)
        return payload.evidence.name
    }

    private mutating func name(_ kind: String) -> String {
        count += 1
        let mixed = UInt64(count) &* 0x9E37_79B9_7F4A_7C15
        return kind + String(mixed ^ mixed >> 29, radix: 16)
    }
}

extension Life {
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

    var end: Int64 { transactions.last?.expiresAt ?? now }

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

    private var lastEnd: Int64 { transactions.dropLast().last?.expiresAt ?? now }

    mutating func settle() {
        renewal.isInBillingRetry = nil
        renewal.gracePeriodExpiresAt = nil
        renewal.expirationIntent = nil
        status = 1
    }

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

    mutating func failToRenew(graceDays: Int64? = nil) {
        now = max(now, end)
        renewal.isInBillingRetry = true
        renewal.gracePeriodExpiresAt = graceDays.map { end + $0 * Self.day }
        status = graceDays == nil ? 3 : 4
        notify("DID_FAIL_TO_RENEW", graceDays == nil ? nil : "GRACE_PERIOD")
    }

    mutating func endGrace() {
        now = max(now, renewal.gracePeriodExpiresAt ?? now)
        status = 3
        notify("GRACE_PERIOD_EXPIRED")
    }

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

extension Life {
    mutating func upgrade(_ plan: Plan, _ offer: Offer? = nil) {
        transactions[place].isUpgraded = true
        (self.plan, coming, self.offer, promised) = (plan, plan, offer, nil)
        renewal.autoRenewStatus = 1
        settle()
        pay("PURCHASE", from: now)
        notify(offer == nil ? "DID_CHANGE_RENEWAL_PREF" : "OFFER_REDEEMED", "UPGRADE")
    }

    mutating func downgrade(_ plan: Plan) {
        coming = plan
        renewal.autoRenewStatus = 1
        notify("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE")
    }

    mutating func revert() {
        coming = plan
        notify("DID_CHANGE_RENEWAL_PREF")
    }

    mutating func redeem(_ offer: Offer, _ plan: Plan? = nil) {
        promised = offer
        coming = plan ?? coming
        renewal.autoRenewStatus = 1
        notify("OFFER_REDEEMED", plan == nil ? nil : "DOWNGRADE")
    }

    /// Refunds a transaction; the running one if no place is given.
    mutating func refund(
        _ type: String? = "REFUND_FULL", percentage: Int64? = nil, about place: Int? = nil,
        _ notification: String = "REFUND"
    ) {
        let place = place ?? self.place
        transactions[place].revokedAt = now
        transactions[place].revocationReason = 0
        transactions[place].revocationType = type
        transactions[place].revocationPercentage = percentage
        if isRunning(place), running.allSatisfy({ transactions[$0].revokedAt != nil }) { status = 5 }
        notify(notification, about: place)
    }

    /// The places of the transactions of the running period: of its own one, and of seats that were added.
    private var running: [Int] {
        transactions.indices.filter { place in
            place == self.place
                || (transactions[place].additionalReason == "SEAT_ADDITION"
                    && transactions[place].expiresAt == transactions.last?.expiresAt)
        }
    }

    private func isRunning(_ place: Int) -> Bool { running.contains(place) }

    mutating func reverseRefund(about place: Int? = nil) {
        let place = place ?? self.place
        transactions[place].revokedAt = nil
        transactions[place].revocationReason = nil
        transactions[place].revocationType = nil
        transactions[place].revocationPercentage = nil
        status = now < end ? 1 : 2
        notify("REFUND_REVERSED", about: place)
    }

    mutating func extend(days: Int64) {
        transactions[place].expiresAt = end + days * Self.day
        notify("RENEWAL_EXTENDED")
    }

    mutating func raisePrice(_ price: Int64, isAccepted: Bool) {
        coming.price = price
        renewal.priceIncreaseStatus = isAccepted ? 1 : 0
        notify("PRICE_INCREASE", isAccepted ? "ACCEPTED" : "PENDING")
    }

    mutating func addSeats(_ quantity: Int64) {
        let running = transactions[place]
        pay("PURCHASE", from: now, until: end)
        transactions[place].additionalReason = "SEAT_ADDITION"
        transactions[place].quantity = quantity
        // The period goes on being the last one. From now on, Apple marks its transaction, too.
        let addition = transactions.count - 1
        transactions.swapAt(addition, addition - 1)
        precondition(transactions[place] == running)
        transactions[place].additionalReason = "SEAT_ADDITION"
        notify("DID_CHANGE_RENEWAL_PREF", "INCREASE_QUANTITY", about: addition - 1)
    }

    /// Refunds seats of a transaction; of the running one if no place is given. The transaction stays valid.
    mutating func refundSeats(_ count: Int64 = 1, about place: Int? = nil) {
        let place = place ?? self.place
        transactions[place].revokedSeatQuantity = (transactions[place].revokedSeatQuantity ?? 0) + count
        notify("REFUND", "SEATS", about: place)
    }

    mutating func reverseSeatRefund(about place: Int? = nil) {
        let place = place ?? self.place
        transactions[place].revokedSeatQuantity = nil
        notify("REFUND_REVERSED", about: place)
    }

    /// Gives a transaction again with another identifier, as Apple does when the purchase is restored on another device. From then
    /// on, Apple signs now the one and now the other.
    mutating func restore(about place: Int? = nil) {
        let place = place ?? self.place
        if let id = transactions[place].transactionID { twins.insert(id) }
        if isDelivered { sign(transactions[place]) }
    }

    /// Moves to the Advanced Commerce API, with a new `originalTransactionId` from the coming period on.
    mutating func migrate(to subscriber: String) {
        let old = self.subscriber
        now = max(now, end)
        self.subscriber = subscriber
        pay("RENEWAL", from: end)
        transactions[place].previousOriginalTransactionID = old
        transactions[place].originallyPurchasedAt = transactions[place].purchasedAt
        notify("MIGRATION")
    }

    mutating func renewMigrated() {
        let old = transactions[place].previousOriginalTransactionID
        now = max(now, end)
        pay("RENEWAL", from: end)
        transactions[place].previousOriginalTransactionID = old
        transactions[place].originallyPurchasedAt = transactions[place - 1].originallyPurchasedAt
        notify("DID_RENEW")
    }
}

struct Plan: Sendable {
    var product = "monthly"
    var group = "group"
    var days: Int64 = 30
    /// The length of a period; nil for `days`.
    var minutes: Int64?
    var price: Int64? = 9_990
    var billing: String?
    var quantity: Int64 = 1

    /// The length of a period in milliseconds.
    var length: Int64 { minutes.map { $0 * 60_000 } ?? days * Life.day }

    static let monthly = Plan()
    static let annual = Plan(product: "annual", days: 365, price: 99_990)
    static let premium = Plan(product: "premium", price: 19_990)
    static let basic = Plan(product: "basic", price: 4_990)
    static let weekly = Plan(product: "weekly", days: 7, price: 2_990)
    static let commitment = Plan(product: "commitment", price: 7_990, billing: "MONTHLY")
    static let year = Plan(product: "year", days: 365, price: 79_990, billing: "BILLED_UPFRONT")
}

struct Offer: Sendable {
    var type: Int64
    var identifier: String?
    var discount = "PAY_AS_YOU_GO"
    var price: Int64? = 990
    var periods = 1
    /// The length of each of its periods; nil for the length of the plan's.
    var days: Int64?
    /// Tells acceptances of the same offer apart. No payload has it.
    var number = 0

    static let trial = Offer(type: 1, discount: "FREE_TRIAL", price: 0, days: 7)
    static let introductory = Offer(type: 1, periods: 3)
    static let upFront = Offer(type: 1, discount: "PAY_UP_FRONT", price: 4_990, days: 90)
    static let code = Offer(type: 3, identifier: "code")
    static let winBack = Offer(type: 4, identifier: "back")

    static func promotional(_ identifier: String? = "half", periods: Int = 1) -> Offer {
        Offer(type: 2, identifier: identifier, periods: periods)
    }

    static func retention(_ identifier: String? = "stay", periods: Int = 1) -> Offer {
        Offer(type: 5, identifier: identifier, periods: periods)
    }
}
