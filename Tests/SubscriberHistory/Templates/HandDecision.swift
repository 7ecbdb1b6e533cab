import SubscriberHistory

/// Decides by hand what a template serves: its text, written down again without rules, files and logic of three values.
struct HandDecision {
    /// What is known of the subscriber.
    let facts: [SubscriberFact: HistoryValue]
    let product: String
    let now: Int64

    /// The names of the products in random worlds, in place of those of the templates; a price that falls in place of one that
    /// rises, because prices of random worlds only fall, with a cheaper plan; three periods in place of twelve and two in place
    /// of five, because the lives are short.
    static let changes = [
        (old: "pro_monthly", new: "monthly"), (old: "pro_annual", new: "premium"),
        (old: "\"gte\": 11990", new: "\"lte\": 4990"), (old: "\"gte\": 12 }", new: "\"gte\": 3 }"),
        (old: "\"gte\": 5 }", new: "\"gte\": 2 }"),
    ]

    func decide(_ template: String) -> Decided {
        let rule: (id: String, message: String)? =
            switch template {
            case "loyal-annual": loyal
            case "trial": trial
            case "price-rise": priceRise
            case "win-back": winBack
            case "once-in-180-days": once
            default: nil
            }
        return Decided(rule?.id, rule?.message ?? "value_reminder")
    }

    private func number(_ fact: SubscriberFact) -> Int64? {
        switch facts[fact] {
        case .integer(let number), .date(let number): number
        default: nil
        }
    }

    private func flag(_ fact: SubscriberFact) -> Bool? {
        if case .boolean(let flag) = facts[fact] { flag } else { nil }
    }

    private func text(_ fact: SubscriberFact) -> String? {
        if case .string(let text) = facts[fact] { text } else { nil }
    }

    private func isAtLeast(_ fact: SubscriberFact, _ limit: Int64) -> Bool {
        number(fact).map { $0 >= limit } ?? false
    }

    private var isMonthly: Bool { product == "monthly" }

    private var loyal: (id: String, message: String)? {
        guard isMonthly, text(.renewalProductId) == "monthly", isAtLeast(.paidPeriods, 6),
            flag(.inOffer) == false, flag(.familyShared) == false
        else { return nil }
        return ("loyal_to_annual", "go_annual")
    }

    private var trial: (id: String, message: String)? {
        if flag(.inTrial) == true { return ("trial", "trial_value") }
        if flag(.inIntroOffer) == true { return ("introductory_price", "intro_value") }
        guard isMonthly, flag(.inOffer) == false, isAtLeast(.paidPeriods, 2), mayGetOffer(most: 1) else {
            return nil
        }
        return ("after_full_price", "half_price_3m")
    }

    private var priceRise: (id: String, message: String)? {
        guard isMonthly, flag(.autoRenew) == true, text(.currency) == "USD", number(.price) == 9_990,
            let next = number(.renewalPrice), next <= 4_990
        else { return nil }
        if isAtLeast(.paidPeriods, 3) { return ("annual_at_the_old_price", "go_annual") }
        return ("reasons_for_the_rise", "what_is_new")
    }

    private var winBack: (id: String, message: String)? {
        if isAtLeast(.winBackOffersAccepted, 1) { return ("won_back", "welcome_back") }
        guard isMonthly, number(.winBackOffersAccepted) == 0, isAtLeast(.returns, 1), flag(.inOffer) == false,
            flag(.autoRenew) == true, isAtLeast(.paidPeriods, 2), mayGetOffer(most: 1)
        else { return nil }
        return ("came_back", "half_price_3m")
    }

    private var once: (id: String, message: String)? {
        if flag(.inOffer) == true { return ("offer_runs", "offer_runs") }
        guard isMonthly, flag(.inOffer) == false, mayGetOffer(most: nil) else { return nil }
        return ("half_price", "half_price_3m")
    }

    /// True when the caps let an offer through: it is known that there were fewer than `most`, and none for 180 days.
    private func mayGetOffer(most: Int64?) -> Bool {
        guard let count = number(.offersAccepted), most.map({ count < $0 }) ?? true else { return false }
        guard let last = number(.lastOfferAt) else { return count == 0 }
        return now - last >= 180 * Life.day
    }
}
