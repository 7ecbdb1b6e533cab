internal import NotificationStore

struct Transactions {
    let periods: [Period]
    let hasUnusable: Bool
    let others: Set<String>
    let otherProducts: Set<String>

    init(_ payloads: [HistoryPayload<TransactionColumns>], reversals: [String: Evidence]) {
        var places: [String: Int] = [:]
        var all: [Purchase] = []
        places.reserveCapacity(payloads.count)
        var hasUnusable = false
        for payload in payloads {
            guard let id = payload.columns.transactionID else {
                if Purchase.isSubscription(payload) { hasUnusable = true }
                continue
            }
            if let place = places[id] {
                all[place].add(payload)
            } else {
                places[id] = all.count
                all.append(Purchase(id, payload))
            }
        }
        var (found, others, otherProducts): ([Period], Set<String>, Set<String>) = ([], [], [])
        found.reserveCapacity(all.count)
        for purchase in Self.merged(all, reversals) {
            if let period = Period(purchase) {
                found.append(period)
            } else if purchase.hasSubscription {
                hasUnusable = true
            } else {
                others.formUnion(purchase.ids)
                if let product = purchase.latest.columns.productID { otherProducts.insert(product) }
            }
        }
        var periods = Self.withSeats(found)
        periods.sort(by: Period.precedes)
        for place in periods.indices.dropFirst() where periods[place].wasLeft(for: periods[place - 1]) {
            periods.swapAt(place, place - 1)
        }
        self.periods = periods
        self.hasUnusable = hasUnusable
        self.others = others
        self.otherProducts =
            otherProducts.isEmpty ? [] : otherProducts.subtracting(periods.compactMap(\.columns.productID))
    }

    /// What a purchase without `webOrderLineItemId` shares with another transaction of the same purchase.
    private struct Moment: Hashable {
        let time: Int64
        let product: String
    }

    /// Apple gives a purchase another transaction when it is restored on another device.
    private static func merged(_ all: [Purchase], _ reversals: [String: Evidence]) -> [Purchase] {
        var groups: [[Purchase]] = []
        groups.reserveCapacity(all.count)
        var (byItem, byMoment): ([String: Int], [Moment: Int]) = ([:], [:])
        for purchase in all {
            let columns = purchase.latest.columns
            let item = columns.webOrderLineItemID
            var moment: Moment?
            if let time = columns.purchasedAt, let product = columns.productID {
                moment = Moment(time: time, product: product)
            }
            let candidates = [item.flatMap { byItem[$0] }, moment.flatMap { byMoment[$0] }].compactMap(\.self)
            let place = candidates.first { groups[$0].allSatisfy(purchase.isSame) } ?? groups.count
            if place == groups.count { groups.append([purchase]) } else { groups[place].append(purchase) }
            if let item { byItem[item] = byItem[item] ?? place }
            if let moment { byMoment[moment] = byMoment[moment] ?? place }
        }
        return groups.map { $0.count == 1 ? $0[0] : Purchase($0, reversals) }
    }

    /// Once seats were added to a period, Apple marks every transaction of it; the earliest of them is the period.
    private static func withSeats(_ found: [Period]) -> [Period] {
        guard found.contains(where: { $0.hasAddedSeats || $0.columns.quantity ?? 1 > 1 }) else {
            return found
        }
        let ordered = found.sorted { left, right in
            if left.start != right.start { return left.start < right.start }
            if left.hasAddedSeats != right.hasAddedSeats { return right.hasAddedSeats }
            return Period.precedes(left, right)
        }
        var periods: [Period] = []
        var additions: [[Period]] = []
        for one in ordered {
            if let place = periods.lastIndex(where: { one.addsSeats(to: $0) }) {
                additions[place].append(one)
            } else {
                periods.append(one)
                additions.append([])
            }
        }
        return periods.indices.map { place in
            additions[place].isEmpty ? periods[place] : Period(periods[place], additions: additions[place])
        }
    }
}

/// What the signed copies of one purchase say together. The purchase may have several transactions.
struct Purchase {
    private(set) var ids: [String]
    let first: Evidence
    /// The latest copy. What it lacks and an earlier one said is filled in: a signed value stays true, and Apple has left members out
    /// of later copies.
    private(set) var latest: HistoryPayload<TransactionColumns>
    /// The earliest `expiresDate` of a copy. Apple gives an extension for free, and a later copy shows it.
    private(set) var paidUntil: Int64?
    /// True when a copy says that the purchase is a subscription, or may be one.
    private(set) var hasSubscription: Bool
    /// When Apple signed the latest copy that has the number of refunded seats; nil when none has.
    private(set) var revokedSeatsAt: Int64?
    /// When Apple signed the first copy that says that seats were added to the period; nil when none says so.
    private(set) var seatsAddedAt: Int64?

    init(_ id: String, _ payload: HistoryPayload<TransactionColumns>) {
        ids = [id]
        first = payload.evidence
        latest = payload.withoutEmptyToken
        paidUntil = payload.columns.expiresAt
        hasSubscription = Self.isSubscription(payload)
        revokedSeatsAt = payload.columns.revokedSeatQuantity == nil ? nil : payload.signedAt
        seatsAddedAt = payload.columns.additionalReason == Period.seatAddition ? payload.signedAt : nil
    }

    init(_ transactions: [Purchase], _ reversals: [String: Evidence]) {
        let ordered = transactions.sorted { $0.latest.evidence < $1.latest.evidence }
        ids = transactions.sorted { $0.first < $1.first }.flatMap(\.ids)
        first = transactions.map(\.first).min() ?? ordered[0].first
        latest = ordered[0].latest
        for next in ordered.dropFirst() { latest = next.latest.filled(from: latest) }
        hasSubscription = transactions.contains(where: \.hasSubscription)
        revokedSeatsAt = transactions.compactMap(\.revokedSeatsAt).max()
        seatsAddedAt = transactions.compactMap(\.seatsAddedAt).min()
        paidUntil = transactions.compactMap(\.paidUntil).min()
        latest = Self.marked(latest, ordered, ids.compactMap { reversals[$0] }.max())
    }

    /// Adds to the latest copy what Apple may say of one of several transactions alone: the refund and the upgrade.
    private static func marked(
        _ latest: HistoryPayload<TransactionColumns>, _ ordered: [Purchase], _ reversal: Evidence?
    ) -> HistoryPayload<TransactionColumns> {
        var columns = latest.columns
        let revoked = ordered.last { one in
            one.latest.columns.revokedAt != nil && reversal.map { $0 < one.latest.evidence } ?? true
        }?.latest.columns
        columns.revokedAt = revoked?.revokedAt
        columns.revocationReason = revoked?.revocationReason
        columns.revocationType = revoked?.revocationType
        columns.revocationPercentage = revoked?.revocationPercentage
        if ordered.contains(where: { $0.latest.columns.isUpgraded == true }) { columns.isUpgraded = true }
        columns.purchasedAt = ordered.compactMap(\.latest.columns.purchasedAt).min()
        let unfit = ordered.reduce(latest.unfit) { $0.union($1.latest.unfit.intersection(Self.ofEach)) }
        return HistoryPayload(latest.evidence, columns, unfit: unfit)
    }

    /// The columns whose values of each transaction count.
    private static let ofEach: Set = [
        "revoked_at", "revocation_type", "revocation_percentage", "is_upgraded",
    ]

    mutating func add(_ payload: HistoryPayload<TransactionColumns>) {
        latest = payload.withoutEmptyToken.filled(from: latest)
        if let end = payload.columns.expiresAt { paidUntil = min(paidUntil ?? end, end) }
        if Self.isSubscription(payload) { hasSubscription = true }
        if payload.columns.revokedSeatQuantity != nil { revokedSeatsAt = payload.signedAt }
        if payload.columns.additionalReason == Period.seatAddition {
            seatsAddedAt = min(seatsAddedAt ?? .max, payload.signedAt)
        }
    }

    static func isSubscription(_ payload: HistoryPayload<TransactionColumns>) -> Bool {
        payload.columns.type == Period.type || payload.unfit.contains("type")
    }

    func isSame(_ other: Purchase) -> Bool {
        let (left, right) = (latest.columns, other.latest.columns)
        func mayBeEqual<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
            left == nil || right == nil || left == right
        }
        func isBehind(_ left: TransactionColumns, _ right: TransactionColumns) -> Bool {
            guard let start = left.purchasedAt, let end = right.expiresAt else { return false }
            return start >= end
        }
        guard mayBeEqual(left.webOrderLineItemID, right.webOrderLineItemID),
            mayBeEqual(left.ownership, right.ownership), mayBeEqual(left.type, right.type),
            mayBeEqual(left.productID, right.productID)
        else { return false }
        // StoreKit testing in Xcode gives every purchase the same identifier.
        if left.purchasedAt != right.purchasedAt, isBehind(left, right) || isBehind(right, left) {
            return false
        }
        // Seats that were added later are a purchase of their own.
        let haveSeats = [left, right].contains { $0.additionalReason == Period.seatAddition }
        return !haveSeats || mayBeEqual(left.purchasedAt, right.purchasedAt)
    }
}

extension HistoryPayload where Columns == TransactionColumns {
    /// The same copy without a token that names nobody: some libraries write zeros where the app gives none.
    fileprivate var withoutEmptyToken: HistoryPayload {
        guard let token = columns.appAccountToken, token.allSatisfy({ "0-".contains($0) }) else {
            return self
        }
        var columns = columns
        columns.appAccountToken = nil
        return HistoryPayload(evidence, columns, unfit: unfit)
    }

    /// A refund, a reason for one, and an upgrade are not kept: Apple takes them back by leaving them out.
    fileprivate func filled(from earlier: HistoryPayload) -> HistoryPayload {
        var (columns, unfit, isFilled) = (columns, unfit, false)
        let before = earlier.columns
        func keep<Value>(_ value: inout Value?, _ known: Value?, _ name: String) {
            guard value == nil, !unfit.contains(name) else { return }
            if let known {
                (value, isFilled) = (known, true)
            } else if earlier.unfit.contains(name) {
                unfit.insert(name)
                isFilled = true
            }
        }
        keep(&columns.price, before.price, "price")
        keep(&columns.currency, before.currency, "currency")
        keep(&columns.storefront, before.storefront, "storefront")
        keep(&columns.purchasedAt, before.purchasedAt, "purchased_at")
        keep(&columns.originallyPurchasedAt, before.originallyPurchasedAt, "originally_purchased_at")
        keep(&columns.expiresAt, before.expiresAt, "expires_at")
        keep(&columns.productID, before.productID, "product_id")
        keep(&columns.subscriptionGroupID, before.subscriptionGroupID, "subscription_group_id")
        keep(&columns.offerType, before.offerType, "offer_type")
        keep(&columns.offerIdentifier, before.offerIdentifier, "offer_identifier")
        keep(&columns.offerDiscountType, before.offerDiscountType, "offer_discount_type")
        keep(&columns.appAccountToken, before.appAccountToken, "app_account_token")
        keep(&columns.webOrderLineItemID, before.webOrderLineItemID, "web_order_line_item_id")
        keep(&columns.ownership, before.ownership, "ownership")
        keep(&columns.type, before.type, "type")
        keep(&columns.quantity, before.quantity, "quantity")
        keep(&columns.revokedSeatQuantity, before.revokedSeatQuantity, "revoked_seat_quantity")
        keep(&columns.reason, before.reason, "reason")
        keep(&columns.additionalReason, before.additionalReason, "additional_reason")
        keep(&columns.billingPlan, before.billingPlan, "billing_plan")
        keep(
            &columns.previousOriginalTransactionID, before.previousOriginalTransactionID,
            "previous_original_transaction_id")
        keep(&columns.originalTransactionID, before.originalTransactionID, "original_transaction_id")
        return isFilled ? HistoryPayload(evidence, columns, unfit: unfit) : self
    }
}
