internal import SubscriberHistory

/// When the outcomes of a unit are known, and what they are.
enum UnitOutcomes {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour
    private static let settling = SubscriberOutcomes.settlingMilliseconds

    private static func window(_ outcome: Outcome) -> Int64 {
        switch outcome {
        case .kept24h, .redeemed24h, .switched24h: day
        case .kept7d: 7 * day
        case .refunded30d, .revenue30d: 30 * day
        // The end of the period says when, and the placebo's window lies before.
        case .renewed, .placebo: 0
        }
    }

    /// Returns the outcomes that are known by `horizon`. Without payloads nothing happened, and nothing is known of periods.
    static func known(
        _ payloads: SubscriberPayloads?, at request: Int64, of product: String, by horizon: Int64
    ) -> [(key: OutcomeKey, value: Int64)] {
        guard request + settling <= horizon else { return [] }
        var found: [(key: OutcomeKey, value: Int64)] = []
        var history = SubscriberOutcomes(payloads ?? SubscriberPayloads(), at: request)
        for outcome in Outcome.allCases {
            let end = request + window(outcome)
            guard end + settling <= horizon else { continue }
            var (key, value): (OutcomeKey, Int64?) = (OutcomeKey(outcome), nil)
            func number(_ isTrue: Bool) -> Int64 { isTrue ? 1 : 0 }
            switch outcome {
            case .kept24h, .kept7d: value = number(history.isKept(at: end))
            case .renewed: value = history.isRenewed(by: horizon).map(number)
            case .refunded30d: value = number(history.isRefunded(by: end))
            case .redeemed24h: value = number(history.hasRedeemed(by: end))
            case .switched24h: value = number(history.hasSwitched(by: end, from: product))
            case .placebo: value = number(history.hadChange(since: request - 30 * day))
            case .revenue30d:
                if let revenue = history.revenue(by: end) {
                    key = OutcomeKey(outcome, currency: revenue.currency)
                    value = revenue.milliunits
                }
            }
            if let value { found.append((key, value)) }
        }
        return found
    }
}
