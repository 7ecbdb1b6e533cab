internal import Effect
internal import System

/// Numbers as people read them.
enum NumberText {
    static func decimal(_ value: Double, _ digits: Int, signed: Bool = false) -> String {
        let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
        let scaled = (value.magnitude * scale).rounded()
        guard scaled < 1e17 else { return "\(value)" }
        let number = Int64(scaled)
        let sign = number == 0 ? "" : value < 0 ? "-" : signed ? "+" : ""
        let fraction = String(Int64(scale) + number % Int64(scale)).dropFirst()
        return sign + grouped(number / Int64(scale)) + (digits > 0 ? ".\(fraction)" : "")
    }

    static func count(_ number: Int) -> String { (number < 0 ? "-" : "") + grouped(Int64(number.magnitude)) }

    static func percent(_ share: Double, _ digits: Int = 1) -> String { "\(decimal(share * 100, digits)) %" }

    static func points(_ difference: Double) -> String { decimal(difference * 100, 1, signed: true) }

    private static func grouped(_ number: Int64) -> String {
        let digits = Array(String(number))
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            }
        )
    }

    /// With two digits, for what is not known better.
    static func rounded(_ number: Int) -> Int {
        var step = 1
        while number / step >= 100 { step *= 10 }
        return (number + step - 1) / step * step
    }

    static func count(_ count: Int, _ noun: String) -> String {
        "\(Self.count(count)) \(noun)\(count == 1 ? "" : "s")"
    }
}

/// What a report says in words, for a terminal and for the page.
struct ReportWords {
    let report: EffectReport

    /// In place of experiments.
    var nobody: String {
        report.quality.decisions == 0
            ? "No subscriber is in an experiment yet."
            : "No subscriber is in an experiment: the rules have none that compares, or the logs lack the lines that workers write about them."
    }

    static func name(_ experiment: Experiment) -> String {
        switch experiment.kind {
        case .holdout: "holdout \(experiment.salt)"
        case .rollout: "rollout of \(experiment.rule ?? "-"), \(experiment.salt)"
        case .arms: "arms of \(experiment.rule ?? "-"), \(experiment.salt)"
        }
    }

    static func name(_ key: OutcomeKey) -> String {
        key.currency.map { "\(key.outcome.rawValue) \($0)" } ?? key.outcome.rawValue
    }

    /// What the words of an outcome mean, as the end of a sentence about subscribers.
    static func meaning(_ outcome: Outcome) -> String {
        switch outcome {
        case .kept24h: "had auto-renewal on 24 hours after the page"
        case .kept7d: "had auto-renewal on 7 days after the page"
        case .renewed: "renewed at the end of the period"
        case .refunded30d: "got a refund within 30 days"
        case .revenue30d: "payments within 30 days, less refunds"
        case .redeemed24h: "accepted an offer within 24 hours"
        case .switched24h: "changed the product within 24 hours"
        case .placebo: "changed renewal or got a refund in the 30 days before"
        }
    }

    // MARK: One sentence for each comparison

    func sentence(_ comparison: Comparison, of experiment: ExperimentReport) -> String {
        let name = Self.name(experiment.experiment)
        let (arm, control) = (comparison.arm, experiment.arms[0])
        switch comparison.verdict {
        case .invalid:
            let reasons = experiment.problems.map { "\($0.code) (\(Self.text($0)))" }.joined(separator: "; ")
            return "\(name): no verdict on \(arm) and \(control), the data cannot be trusted: \(reasons)"
        case .notEnoughData:
            let reasons = Self.text(comparison.shortages)
            return
                "\(name): not enough data yet to compare \(arm) with \(control): \(reasons)\(Self.more(comparison))"
        case .better: return "\(name): \(arm) is better than \(control): \(figures(comparison))"
        case .worse: return "\(name): \(arm) is worse than \(control): \(figures(comparison))"
        case .undecided:
            return "\(name): cannot tell yet whether \(arm) is better than \(control): \(figures(comparison))"
                + needed(comparison)
        }
    }

    private func needed(_ comparison: Comparison) -> String {
        guard let more = comparison.more else { return "" }
        let effect = "A difference of \(NumberText.points(report.options.effect)) points"
        return more.units == 0
            ? ". \(effect) would have been found in four of five such experiments"
            : ". \(effect) would be found with about \(Self.arrival(more)) more"
    }

    private func figures(_ comparison: Comparison) -> String {
        guard let estimate = comparison.primary else { return "-" }
        let numbers = Self.numbers(estimate)
        var text = "\(Self.name(estimate.key)) \(numbers.treated) against \(numbers.control), "
        text += "\(numbers.difference) (\(numbers.interval))"
        if let saved = Self.saved(estimate, comparison) { text += ", \(saved)" }
        return text
    }

    static func saved(_ estimate: Estimate, _ comparison: Comparison) -> String? {
        guard let saved = comparison.saved(estimate) else { return nil }
        func whole(_ number: Double) -> String { NumberText.decimal(number, 0) }
        let (low, high) = (saved.interval.low, saved.interval.high)
        return saved.count < 0
            ? "\(whole(-saved.count)) subscribers lost (\(whole(-high)) to \(whole(-low)))"
            : "\(whole(saved.count)) subscribers saved (\(whole(low)) to \(whole(high)))"
    }

    private static func more(_ comparison: Comparison) -> String {
        guard let more = comparison.more else { return "" }
        if more.units == 0 {
            return more.days.map { $0 > 0 ? "; \(NumberText.count($0, "day")) more" : "" } ?? ""
        }
        return "; about \(arrival(more)) more"
    }

    private static func arrival(_ more: (units: Int, days: Int?)) -> String {
        let units = NumberText.count(NumberText.rounded(more.units), "subscriber")
        return units + (more.days.map { " (\(NumberText.count(NumberText.rounded($0), "day")))" } ?? "")
    }

    /// The means, the difference and its interval, in percent and points or in a currency.
    static func numbers(
        _ estimate: Estimate
    ) -> (treated: String, control: String, difference: String, interval: String) {
        let (difference, interval) = (estimate.difference.estimate, estimate.interval)
        if estimate.key.outcome.isShare {
            return (
                NumberText.percent(estimate.treated.mean), NumberText.percent(estimate.control.mean),
                "\(NumberText.points(difference)) points",
                "\(NumberText.points(interval.low)) to \(NumberText.points(interval.high))"
            )
        }
        func money(_ number: Double, signed: Bool = true) -> String {
            NumberText.decimal(number / 1000, 2, signed: signed)
        }
        return (
            money(estimate.treated.mean, signed: false), money(estimate.control.mean, signed: false),
            "\(money(difference)) each", "\(money(interval.low)) to \(money(interval.high))"
        )
    }

    // MARK: Reasons

    static func text(_ problem: Problem) -> String {
        switch problem {
        case .sampleRatio(let day):
            "from \(DayText.of(day)) on the arms have other shares than those that were drawn"
        case .assignmentDiffers(let different, let checked):
            "\(NumberText.count(different)) of \(NumberText.count(checked)) draws come out otherwise when they are made anew"
        case .identifierKeyMismatch(let instances):
            "\(NumberText.count(instances, "worker")) had another identifier key"
        case .subscribersUnknown(let known, let all):
            "the store has notifications of \(NumberText.count(known)) of \(NumberText.count(all, "subscriber")): Apple does not send them there, or the key is another"
        case .decisionsMissing(let missing, let all):
            "\(NumberText.count(missing)) of \(NumberText.count(all)) decisions are missing"
        case .notificationsMissing(let gaps):
            "notifications of \(NumberText.count(gaps, "time")) were not recovered"
        case .placebo(let arm):
            "\(arm) differs from the control in what was before the page was viewed"
        }
    }

    static func text(_ shortages: [Shortage]) -> String {
        // An arm with few subscribers has few of each kind.
        let small = shortages.compactMap { if case .units(let arm, _) = $0 { arm } else { nil } }
        let said = shortages.filter { shortage in
            switch shortage {
            case .with(let arm, _), .without(let arm, _): !small.contains(arm)
            case .units, .days: true
            }
        }
        return said.isEmpty
            ? "no epoch has \(EffectReport.foldedUnits) subscribers in both arms, or nearly all paid the same"
            : said.map(text).joined(separator: ", ")
    }

    private static func text(_ shortage: Shortage) -> String {
        func few(_ count: Int) -> String {
            count < EffectReport.foldedUnits
                ? "fewer than \(EffectReport.foldedUnits)" : NumberText.count(count)
        }
        return switch shortage {
        case .units(let arm, let count): "\(arm) has \(few(count)) of 100 subscribers"
        case .with(let arm, let count): "\(arm) has \(few(count)) of 25 with the outcome"
        case .without(let arm, let count): "\(arm) has \(few(count)) of 25 without the outcome"
        case .days(let count): "\(count) of 7 days"
        }
    }

    // MARK: What each side got

    /// The kinds of answers of an arm with their shares. Small ones are one.
    static func answers(_ arm: String, of experiment: ExperimentReport) -> [(kind: String, count: Int)] {
        let all = (experiment.sums.answers[arm] ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let shown = all.filter { $0.value >= EffectReport.foldedUnits }
        let rest = all.dropFirst(shown.count).reduce(0) { $0 + $1.value }
        return shown.map { ($0.key, $0.value) } + (rest >= EffectReport.foldedUnits ? [("other", rest)] : [])
    }

    static func got(_ arm: String, of experiment: ExperimentReport) -> String {
        let answers = answers(arm, of: experiment)
        let total = answers.reduce(0) { $0 + $1.count }
        guard total > 0 else { return "-" }
        if answers.count == 1, answers[0].kind == "none" {
            return "nothing of ours, so Apple showed the App Store Connect message or the default"
        }
        return answers.map { kind, count in
            let name = kind == "none" ? "nothing" : kind == "advancedCommerce" ? "advanced commerce" : kind
            return "\(name) \(NumberText.percent(Double(count) / Double(total)))"
        }.joined(separator: ", ")
    }

    /// A number of subscribers; a small one is not shown.
    static func folded(_ count: Int) -> String {
        count > 0 && count < EffectReport.foldedUnits
            ? "fewer than \(EffectReport.foldedUnits)" : NumberText.count(count)
    }
}
