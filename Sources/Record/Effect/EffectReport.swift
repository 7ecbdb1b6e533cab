/// What is said of each experiment.
package struct EffectReport: Sendable {
    package struct Options: Sendable {
        /// The outcome that verdicts are about.
        package var outcome = Outcome.kept24h
        package var expectedUnits = 5000
        /// What one unit of a currency is worth. Without rates each currency stands for itself.
        package var rates: [String: Double] = [:]
        /// The difference that should be found, for an experiment that cannot tell yet. Apple's average.
        package var effect = 0.014

        package init() {}
    }

    /// A smaller number of subscribers is not shown, and an epoch with fewer in an arm is not compared.
    package static let foldedUnits = 20

    package let app: String
    package let environment: String
    package let now: Int64
    package let quality: EffectQuality
    package let options: Options
    package let experiments: [ExperimentReport]

    package init(_ sums: EffectSums, _ options: Options) {
        (app, environment, now) = (sums.app, sums.environment, sums.now)
        (quality, self.options) = (sums.quality, options)
        // In a rollout to everybody there is nobody to compare with.
        experiments = sums.experiments.sorted { $0.experiment < $1.experiment }
            .map { ExperimentReport($0, sums.quality, options) }.filter { $0.arms.count > 1 }
    }
}

package enum Verdict: String, Sendable {
    case invalid
    case notEnoughData
    case better
    case worse
    case undecided
}

/// What withholds every verdict of an experiment.
package enum Problem: Sendable, Hashable {
    /// The arms have other shares than those that were drawn.
    case sampleRatio(day: Int)
    case assignmentDiffers(different: Int, checked: Int)
    case identifierKeyMismatch(instances: Int)
    /// The store of notifications knows hardly anybody, and who is unknown counts as kept.
    case subscribersUnknown(known: Int, all: Int)
    case decisionsMissing(missing: Int, all: Int)
    /// Times that `recover` has not read, between others that it has.
    case notificationsMissing(gaps: Int)
    /// Arms differ in what happened before the request.
    case placebo(arm: String)

    package var code: String {
        switch self {
        case .sampleRatio: "sample-ratio"
        case .assignmentDiffers: "assignment-differs"
        case .identifierKeyMismatch: "identifier-key-mismatch"
        case .subscribersUnknown: "subscribers-unknown"
        case .decisionsMissing: "decisions-missing"
        case .notificationsMissing: "notifications-missing"
        case .placebo: "placebo"
        }
    }
}

/// Why there is not enough data for a verdict.
package enum Shortage: Sendable, Hashable {
    case units(arm: String, Int)
    case with(arm: String, Int)
    case without(arm: String, Int)
    case days(Int)
}

/// An arm against the control, for one outcome.
package struct Estimate: Sendable {
    package struct Side: Sendable {
        package let arm: String
        /// Mature units.
        package let units: Int
        /// Those with a value other than 0.
        package let with: Int
        package let mean: Double
    }

    package let key: OutcomeKey
    package let control: Side
    package let treated: Side
    package let difference: Difference
    /// The one that verdicts come from.
    package let interval: Interval
    /// For one look alone.
    package let fixed: Interval

    /// True when a figure would be about too few subscribers to be shown.
    package var isFolded: Bool { isFolded(control) || isFolded(treated) }

    package func isFolded(_ side: Side) -> Bool {
        key.outcome.isShare && min(side.with, side.units - side.with) < EffectReport.foldedUnits
    }
}

extension Outcome {
    package var isShare: Bool { self != .revenue30d }
    package var isStaying: Bool { [.kept24h, .kept7d, .renewed].contains(self) }
    /// Those about which there is a verdict. The others say how people stayed.
    package static let primary: [Outcome] = [.kept24h, .kept7d, .renewed, .refunded30d, .revenue30d]
}

/// One arm against the control.
package struct Comparison: Sendable {
    package struct Day: Sendable {
        /// Days since 1970-01-01 UTC: the last day of first draws that counts.
        package let day: Int
        package let estimate: Estimate
        package let verdict: Verdict
    }

    package let arm: String
    package let verdict: Verdict
    package let shortages: [Shortage]
    package let outcomes: [Estimate]
    /// The primary outcome, as it would have been said with the data up to each day.
    package let days: [Day]
    /// How many more subscribers the verdict needs, and in how many days they come.
    package let more: (units: Int, days: Int?)?

    package var primary: Estimate? { days.last?.estimate }

    /// The treated subscribers who would not have stayed; nil for an outcome that is not about staying, or has no verdict.
    package func saved(_ estimate: Estimate) -> (count: Double, interval: Interval)? {
        guard [.better, .worse].contains(verdict), estimate.key == primary?.key,
            estimate.key.outcome.isStaying, !estimate.isFolded
        else { return nil }
        let (units, interval) = (Double(estimate.treated.units), estimate.interval)
        return (estimate.difference.estimate * units, Interval(interval.low * units, interval.high * units))
    }
}

package struct ExperimentReport: Sendable {
    package let sums: ExperimentSums
    /// The control first.
    package let arms: [String]
    package let problems: [Problem]
    package let comparisons: [Comparison]

    package var experiment: Experiment { sums.experiment }

    package func units(_ arm: String) -> Int {
        sums.cells.reduce(0) { $0 + ($1.arm == arm ? $1.units : 0) }
    }

    init(_ sums: ExperimentSums, _ quality: EffectQuality, _ options: EffectReport.Options) {
        self.sums = sums
        // The arms of today first. An epoch with one arm compares nobody, so it does not say which is the control.
        let compared = sums.epochs.map { $0.arms.filter { $0.share > 0 }.map(\.name) }.filter { $0.count > 1 }
        var arms: [String] = []
        for arm in compared.reversed().joined() where !arms.contains(arm) { arms.append(arm) }
        if let control = arms.first {
            arms.removeAll { arm in !compared.contains { $0.contains(control) && $0.contains(arm) } }
        }
        self.arms = arms
        let maker = ComparisonMaker(sums, arms: arms, options)
        var problems: [Problem] = Self.sampleRatioAlarm(sums).map { [.sampleRatio(day: $0)] } ?? []
        if sums.differentUnits * 1000 > sums.checkedUnits {
            problems.append(.assignmentDiffers(different: sums.differentUnits, checked: sums.checkedUnits))
        }
        if sums.otherKeyInstances > 0 {
            problems.append(.identifierKeyMismatch(instances: sums.otherKeyInstances))
        }
        // Many of those who view the page cancel, and Apple notifies of that.
        let all = quality.knownUnits + quality.unknownUnits
        if all >= 50, quality.knownUnits * 25 < all {
            problems.append(.subscribersUnknown(known: quality.knownUnits, all: all))
        }
        if let epoch = sums.epochs.first(where: { $0.missing * 20 > $0.present + $0.missing }) {
            problems.append(.decisionsMissing(missing: epoch.missing, all: epoch.present + epoch.missing))
        }
        if sums.notificationGaps > 0 {
            problems.append(.notificationsMissing(gaps: sums.notificationGaps))
        }
        problems += maker.placebos().map { .placebo(arm: $0) }
        self.problems = problems
        comparisons = maker.comparisons(isInvalid: !problems.isEmpty)
    }

    /// The alarm is false in at most one of a thousand experiments, however often one looks.
    private static let alarm = 6.907755278982137  // ln 1000

    /// The first day behind which the sample-ratio test of an epoch is not passed.
    private static func sampleRatioAlarm(_ sums: ExperimentSums) -> Int? {
        var alarmDay: Int?
        let days = Dictionary(grouping: sums.cells) { $0.epoch }
        for (index, epoch) in sums.epochs.enumerated() {
            var counts = epoch.arms.map { _ in 0 }
            let total = epoch.arms.reduce(0) { $0 + $1.share }
            let drawn = epoch.arms.indices.filter { epoch.arms[$0].share > 0 }
            let shares = drawn.map { Double(epoch.arms[$0].share) / Double(total) }
            let cells = (days[index] ?? []).sorted { ($0.day, $0.arm) < ($1.day, $1.arm) }
            for (place, cell) in cells.enumerated() {
                guard let arm = epoch.arms.firstIndex(where: { $0.name == cell.arm }) else { continue }
                counts[arm] += cell.units
                guard place + 1 == cells.count || cells[place + 1].day > cell.day else { continue }
                // No share is so small that nobody is in it.
                let isImpossible = counts.indices.contains { epoch.arms[$0].share == 0 && counts[$0] > 0 }
                let evidence =
                    isImpossible
                    ? .greatestFiniteMagnitude
                    : Statistics.sampleRatio(drawn.map { counts[$0] }, shares: shares)
                if evidence > alarm { alarmDay = min(alarmDay ?? cell.day, cell.day) }
            }
        }
        return alarmDay
    }
}
