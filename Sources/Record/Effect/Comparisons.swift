internal import Glibc

/// The mature units of one outcome, by epoch and arm.
private struct Tally {
    private struct Place: Hashable {
        let epoch: Int
        let arm: String
    }

    let key: OutcomeKey
    private var values: [Place: [Int64: Int]] = [:]

    init(_ key: OutcomeKey) { self.key = key }

    mutating func add(_ cell: EffectCell, _ added: [Int64: Int]) {
        values[Place(epoch: cell.epoch, arm: cell.arm), default: [:]].merge(added) { $0 + $1 }
    }

    /// Nil when no epoch has enough units in both arms, or all units are alike.
    func estimate(
        _ arm: String, against control: String, epochs: Int, alpha: Double, _ sequence: ConfidenceSequence
    ) -> Estimate? {
        let pairs = (0..<epochs).compactMap { epoch -> (treated: [Int64: Int], control: [Int64: Int])? in
            guard let treated = values[Place(epoch: epoch, arm: arm)],
                let control = values[Place(epoch: epoch, arm: control)],
                min(Self.count(treated), Self.count(control)) >= EffectReport.foldedUnits
            else { return nil }
            return (treated, control)
        }
        let all = pairs.flatMap { [$0.treated, $0.control] }
        // Most pay nothing, and the percentiles of all would be 0.
        let payments = all.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }.filter { $0.key != 0 }
        let middle = Statistics.middle(payments)
        func moments(_ values: [Int64: Int]) -> Moments {
            guard !key.outcome.isShare, let middle else {
                return Moments(yes: Self.with(values), of: Self.count(values))
            }
            // A few large payments would hide everything else.
            var clamped: [Int64: Int] = [:]
            for (value, count) in values {
                // Nothing paid stays nothing, and a refund never becomes a payment.
                clamped[min(max(value, min(0, middle.lowerBound)), max(0, middle.upperBound)), default: 0] +=
                    count
            }
            return Moments(clamped)
        }
        let strata = pairs.map { Stratum(treated: moments($0.treated), control: moments($0.control)) }
        guard let difference = Difference(strata), difference.standardError > 0 else { return nil }
        func side(_ arm: String, _ all: [[Int64: Int]], _ mean: Double) -> Estimate.Side {
            Estimate.Side(
                arm: arm, units: all.reduce(0) { $0 + Self.count($1) },
                with: all.reduce(0) { $0 + Self.with($1) },
                mean: mean)
        }
        return Estimate(
            key: key, control: side(control, pairs.map(\.control), difference.controlMean),
            treated: side(arm, pairs.map(\.treated), difference.treatedMean), difference: difference,
            interval: difference.alwaysValid(alpha, sequence),
            fixed: key.outcome.isShare
                ? difference.newcombe(ConfidenceSequence.alpha) : difference.welch(ConfidenceSequence.alpha))
    }

    /// The mature units of an arm, and those with a value other than 0.
    func counts(_ arm: String) -> (all: Int, with: Int) {
        var result = (all: 0, with: 0)
        for (place, values) in values where place.arm == arm {
            result.all += Self.count(values)
            result.with += Self.with(values)
        }
        return result
    }

    private static func count(_ values: [Int64: Int]) -> Int { values.values.reduce(0, +) }

    private static func with(_ values: [Int64: Int]) -> Int { count(values) - (values[0] ?? 0) }
}

/// Compares the arms of one experiment with its control.
struct ComparisonMaker {
    private let sums: ExperimentSums
    private let arms: [String]
    private let options: EffectReport.Options
    private let sequence: ConfidenceSequence
    /// The cells with their values at the given rates, by day.
    private let cells: [EffectCell]

    private static let leastUnits = 100
    private static let leastOfAKind = 25
    private static let leastDays = 7

    init(_ sums: ExperimentSums, arms: [String], _ options: EffectReport.Options) {
        (self.sums, self.arms, self.options) = (sums, arms, options)
        sequence = ConfidenceSequence(expectedUnits: options.expectedUnits)
        cells = sums.cells.map { $0.converted(options.rates) }.sorted { $0.day < $1.day }
    }

    private var others: ArraySlice<String> { arms.dropFirst() }

    /// With several arms each has a part of the chance of an error.
    private var alpha: Double { ConfidenceSequence.alpha / Double(max(1, others.count)) }

    private func estimates(_ tally: Tally, alpha: Double) -> [Estimate?] {
        others.map {
            tally.estimate($0, against: arms[0], epochs: sums.epochs.count, alpha: alpha, sequence)
        }
    }

    /// The arms that differ from the control in what was before the request.
    func placebos() -> [String] {
        let key = OutcomeKey(.placebo)
        var tally = Tally(key)
        for cell in cells { if let values = cell.values[key] { tally.add(cell, values) } }
        return estimates(tally, alpha: 0.001 / Double(max(1, others.count))).compactMap { estimate in
            guard let estimate, Self.shortages(estimate).isEmpty, !estimate.interval.contains(0) else {
                return nil
            }
            return estimate.treated.arm
        }
    }

    func comparisons(isInvalid: Bool) -> [Comparison] {
        guard !arms.isEmpty else { return [] }
        var tallies: [OutcomeKey: Tally] = [:]
        for cell in cells {
            for (key, values) in cell.values where key.outcome != .placebo {
                tallies[key, default: Tally(key)].add(cell, values)
            }
        }
        let estimates = tallies.sorted { $0.key < $1.key }.map { self.estimates($0.value, alpha: alpha) }
        let key = primaryKey(tallies)
        let history = history(key)
        return others.enumerated().map { index, arm in
            let (days, last) = (history.days.compactMap { $0[index] }, history.days.last?[index])
            let shortages = history.shortages[index]
            let own: Verdict = shortages.isEmpty ? last?.verdict ?? .notEnoughData : .notEnoughData
            let verdict = isInvalid ? .invalid : own
            return Comparison(
                arm: arm, verdict: verdict, shortages: shortages,
                outcomes: estimates.compactMap { $0[index] }, days: days,
                more: more(verdict, last?.estimate, shortages, key))
        }
    }

    /// The currency of most units, when there are several and no rates.
    private func primaryKey(_ tallies: [OutcomeKey: Tally]) -> OutcomeKey {
        func count(_ key: OutcomeKey) -> Int {
            arms.reduce(0) { $0 + (tallies[key]?.counts($1).all ?? 0) }
        }
        let keys = tallies.keys.filter { $0.outcome == options.outcome }.sorted()
        return keys.max { (count($0), $1) < (count($1), $0) } ?? OutcomeKey(options.outcome)
    }

    // MARK: Day by day

    /// For each day, and at the end, what is to be said of each arm but the control.
    private func history(_ key: OutcomeKey) -> (days: [[Comparison.Day?]], shortages: [[Shortage]]) {
        var days: [[Comparison.Day?]] = []
        var tally = Tally(key)
        let counting = cells.filter { $0.values[key]?.isEmpty == false }
        var span = 0
        for (place, cell) in counting.enumerated() {
            tally.add(cell, cell.values[key] ?? [:])
            guard place + 1 == counting.count || counting[place + 1].day > cell.day else { continue }
            span = cell.day - counting[0].day + 1
            let estimates = estimates(tally, alpha: alpha)
            days.append(
                zip(estimates, verdicts(estimates, days: span)).map { estimate, verdict in
                    estimate.map { Comparison.Day(day: cell.day, estimate: $0, verdict: verdict) }
                })
        }
        let shortages = others.enumerated().map { index, arm in
            let counts = [arms[0], arm].map { name in
                let count = tally.counts(name)
                return (arm: name, units: count.all, with: count.with)
            }
            let own = days.last?[index].map { Self.shortages($0.estimate) }
            return (own ?? Self.shortages(key, counts)) + Self.shortages(days: span)
        }
        return (days, shortages)
    }

    private func verdicts(_ estimates: [Estimate?], days: Int) -> [Verdict] {
        estimates.map { estimate in
            guard let estimate, (Self.shortages(estimate) + Self.shortages(days: days)).isEmpty else {
                return .notEnoughData
            }
            // So a verdict and its interval say the same. Holm's method would find more than the intervals show.
            guard !estimate.interval.contains(0) else { return .undecided }
            // Of refunds fewer are better.
            let isUp = estimate.difference.estimate > 0
            return isUp != (estimate.key.outcome == .refunded30d) ? .better : .worse
        }
    }

    // MARK: Enough data

    private static func shortages(_ estimate: Estimate) -> [Shortage] {
        shortages(
            estimate.key,
            [estimate.control, estimate.treated].map { ($0.arm, $0.units, $0.with) })
    }

    private static func shortages(
        _ key: OutcomeKey, _ sides: [(arm: String, units: Int, with: Int)]
    ) -> [Shortage] {
        sides.flatMap { side -> [Shortage] in
            var found: [Shortage] = []
            if side.units < leastUnits { found.append(.units(arm: side.arm, side.units)) }
            if side.with < leastOfAKind { found.append(.with(arm: side.arm, side.with)) }
            // Everybody may have paid.
            if key.outcome.isShare, side.units - side.with < leastOfAKind {
                found.append(.without(arm: side.arm, side.units - side.with))
            }
            return found
        }
    }

    private static func shortages(days: Int) -> [Shortage] { days < leastDays ? [.days(days)] : [] }

    /// The subscribers that are missing for a verdict, with the shares of the arms so far.
    private func more(
        _ verdict: Verdict, _ estimate: Estimate?, _ shortages: [Shortage], _ key: OutcomeKey
    ) -> (Int, Int?)? {
        let mature = cells.reduce(0) { $0 + ($1.values[key]?.values.reduce(0, +) ?? 0) }
        switch verdict {
        case .better, .worse, .invalid: return nil
        case .undecided:
            guard let estimate, estimate.key.outcome.isShare else { return nil }
            let difference = estimate.difference
            let variance = difference.standardError * difference.standardError * Double(difference.count)
            let needed = sequence.units(variance: variance, effect: options.effect, alpha: alpha)
            // Units of the two arms, from all that come.
            let part = Double(difference.count) / Double(max(1, mature))
            let units = max(0, (needed - Double(difference.count)) / part)
            return arrival(of: Int(min(units, 1e15).rounded(.up)), least: 0)
        case .notEnoughData:
            var (units, days) = (0.0, 0)
            // Where there is none of `some` yet, half of one is supposed.
            func missing(_ count: Int, _ some: Int, of all: Int) -> Double {
                Double(count) * Double(max(1, all)) / max(Double(some), 0.5)
            }
            func drawn(_ arms: [String]) -> Int {
                cells.reduce(0) { $0 + (arms.contains($1.arm) ? $1.units : 0) }
            }
            for shortage in shortages {
                switch shortage {
                case .units(let arm, let count):
                    units = max(units, missing(Self.leastUnits - count, drawn([arm]), of: drawn(arms)))
                case .with(_, let count), .without(_, let count):
                    units = max(units, missing(Self.leastOfAKind - count, count, of: mature))
                case .days(let count): days = Self.leastDays - count
                }
            }
            return arrival(of: Int(min(units, 1e15).rounded(.up)), least: days)
        }
    }

    /// In how many days so many subscribers come, as they did in the last four weeks.
    private func arrival(of units: Int, least: Int) -> (Int, Int?) {
        guard let last = cells.last?.day, let first = cells.first?.day else { return (units, nil) }
        let start = max(first, last - 27)
        let recent = cells.reduce(0) { $0 + ($1.day >= start ? $1.units : 0) }
        guard recent > 0 else { return (units, nil) }
        let days = (Double(units) * Double(last - start + 1) / Double(recent)).rounded(.up)
        return (units, max(least, Int(min(days, 1e9))))
    }
}

extension EffectCell {
    /// Revenue in one currency, when rates are given for it.
    fileprivate func converted(_ rates: [String: Double]) -> EffectCell {
        guard !rates.isEmpty else { return self }
        var cell = self
        for (key, values) in values.sorted(by: { $0.key < $1.key }) {
            guard let rate = key.currency.flatMap({ rates[$0] }) else { continue }
            cell.values[key] = nil
            for (value, count) in values {
                let converted = Int64(min(max((Double(value) * rate).rounded(), -1e15), 1e15))
                cell.values[OutcomeKey(key.outcome), default: [:]][converted, default: 0] += count
            }
        }
        return cell
    }
}
