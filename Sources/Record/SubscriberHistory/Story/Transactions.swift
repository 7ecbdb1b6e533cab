internal import NotificationStore

struct Transactions {
    let periods: [Period]
    let hasUnusable: Bool
    /// The identifiers of the transactions of other products, such as bundles of subscriptions.
    let others: Set<String>
    /// The products of these transactions that no period has.
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

    /// Makes one purchase of the transactions of each. Apple gives a purchase another transaction when it is restored on another
    /// device.
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

    /// Adds the transactions that added seats to their periods.
    ///
    /// Once seats were added to a period, Apple marks every transaction of it, also the one that was there before. The earliest
    /// of them is the period.
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
