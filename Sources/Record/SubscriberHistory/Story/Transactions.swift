internal import NotificationStore

/// The periods of a subscriber, from the signed copies of each transaction.
struct Transactions {
    /// What the copies of one transaction say together.
    private struct Copies {
        let first: Evidence
        var latest: HistoryPayload<TransactionColumns>
        var hasSubscription: Bool
    }

    /// The periods in order, with the seat additions.
    let periods: [Period]
    /// True when a transaction of the subscription has no usable dates or identifier.
    let hasUnusable: Bool

    /// Reads copies, which are in the order in which Apple signed them.
    init(_ payloads: [HistoryPayload<TransactionColumns>]) {
        var places: [String: Int] = [:]
        var all: [Copies] = []
        places.reserveCapacity(payloads.count)
        var hasUnusable = false
        for payload in payloads {
            let isSubscription = Self.isSubscription(payload)
            guard let id = payload.columns.transactionID else {
                if isSubscription { hasUnusable = true }
                continue
            }
            if let place = places[id] {
                all[place].latest = payload
                if isSubscription { all[place].hasSubscription = true }
            } else {
                places[id] = all.count
                all.append(
                    Copies(first: payload.evidence, latest: payload, hasSubscription: isSubscription)
                )
            }
        }
        var periods: [Period] = []
        periods.reserveCapacity(all.count)
        for copies in all {
            if let period = Period(copies.latest, first: copies.first) {
                periods.append(period)
            } else if copies.hasSubscription {
                hasUnusable = true
            }
        }
        periods.sort(by: Period.precedes)
        for place in periods.indices.dropFirst() where periods[place].wasLeft(for: periods[place - 1]) {
            periods.swapAt(place, place - 1)
        }
        self.periods = periods
        self.hasUnusable = hasUnusable
    }

    private static func isSubscription(_ payload: HistoryPayload<TransactionColumns>) -> Bool {
        payload.columns.type == Period.type || payload.unfit.contains("type")
    }
}
