internal import Glibc

/// Number, mean and variance of the values of some units.
package struct Moments: Sendable, Hashable {
    package let count: Int
    package let mean: Double
    /// p (1 - p) of a share; the sample variance of other values.
    package let variance: Double

    package init(yes: Int, of count: Int) {
        self.count = count
        mean = Double(yes) / Double(count)
        variance = mean * (1 - mean)
    }

    /// How many units have which value.
    package init(_ values: [Int64: Int]) {
        // In the order of values, because a sum of doubles depends on its order and a dictionary's order is random.
        let sorted = values.sorted { $0.key < $1.key }
        let count = sorted.reduce(0) { $0 + $1.value }
        let mean = sorted.reduce(0.0) { $0 + Double($1.key) * Double($1.value) } / Double(count)
        let squares = sorted.reduce(0.0) { sum, entry in
            let distance = Double(entry.key) - mean
            return sum + distance * distance * Double(entry.value)
        }
        (self.count, self.mean) = (count, mean)
        variance = count > 1 ? squares / Double(count - 1) : 0
    }
}

package struct Interval: Sendable, Hashable {
    package let low: Double
    package let high: Double

    package init(_ low: Double, _ high: Double) { (self.low, self.high) = (low, high) }

    package func contains(_ value: Double) -> Bool { low <= value && value <= high }
}

/// The two arms in one epoch.
package struct Stratum: Sendable, Hashable {
    package let treated: Moments
    package let control: Moments

    fileprivate var count: Int { treated.count + control.count }
    fileprivate var difference: Double { treated.mean - control.mean }
}

/// The difference between two arms over all epochs. The weight of an epoch is its share of the units.
package struct Difference: Sendable {
    package let estimate: Double
    package let standardError: Double
    /// The units of both arms.
    package let count: Int
    /// The means of the arms with the weights of the estimate.
    package let treatedMean: Double
    package let controlMean: Double
    private let strata: [(stratum: Stratum, weight: Double)]
    /// How much the epochs differ from each other: a part of the squared standard error.
    private let spread: Double

    /// Nil without units in both arms.
    package init?(_ strata: [Stratum]) {
        let count = strata.reduce(0) { $0 + $1.count }
        guard count > 0, strata.allSatisfy({ $0.treated.count > 0 && $0.control.count > 0 }) else {
            return nil
        }
        let weighted = strata.map { ($0, Double($0.count) / Double(count)) }
        let estimate = weighted.reduce(0.0) { $0 + $1.1 * $1.0.difference }
        let spread =
            weighted.reduce(0.0) { sum, entry in
                let distance = entry.0.difference - estimate
                return sum + entry.1 * distance * distance
            } / Double(count)
        let variance = weighted.reduce(0.0) { sum, entry in
            let (treated, control) = (entry.0.treated, entry.0.control)
            let own = treated.variance / Double(treated.count) + control.variance / Double(control.count)
            return sum + entry.1 * entry.1 * own
        }
        (self.estimate, self.count, self.strata, self.spread) = (estimate, count, weighted, spread)
        standardError = (variance + spread).squareRoot()
        treatedMean = weighted.reduce(0.0) { $0 + $1.1 * $1.0.treated.mean }
        controlMean = weighted.reduce(0.0) { $0 + $1.1 * $1.0.control.mean }
    }

    // MARK: Always valid

    /// The interval in which the truth lies at all times at once with the probability 1 - `alpha`: the asymptotic confidence
    /// sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (arXiv 2103.06476v7, equations 9, 155, 161).
    package func alwaysValid(_ alpha: Double, _ sequence: ConfidenceSequence) -> Interval {
        let half = standardError * sequence.multiple(count, alpha)
        return Interval(estimate - half, estimate + half)
    }

    // MARK: For one look

    /// Newcombe's hybrid of Wilson's intervals for shares. Over several epochs the distances are added with the squares of the
    /// weights.
    package func newcombe(_ alpha: Double) -> Interval {
        let z = Statistics.normalQuantile(1 - alpha / 2)
        var (below, above) = (z * z * spread, z * z * spread)
        func square(_ number: Double) -> Double { number * number }
        for (stratum, weight) in strata {
            let (treated, control) = (stratum.treated, stratum.control)
            let (own, other) = (Statistics.wilson(treated, z), Statistics.wilson(control, z))
            below += square(weight) * (square(treated.mean - own.low) + square(other.high - control.mean))
            above += square(weight) * (square(own.high - treated.mean) + square(control.mean - other.low))
        }
        return Interval(estimate - below.squareRoot(), estimate + above.squareRoot())
    }

    /// Welch's interval for means, with Satterthwaite's degrees of freedom.
    package func welch(_ alpha: Double) -> Interval {
        var (sum, squares) = (0.0, 0.0)
        for (stratum, weight) in strata {
            for arm in [stratum.treated, stratum.control] where arm.count > 1 {
                let part = weight * weight * arm.variance / Double(arm.count)
                sum += part
                squares += part * part / Double(arm.count - 1)
            }
        }
        let z = Statistics.normalQuantile(1 - alpha / 2)
        let half = standardError * (squares > 0 ? Statistics.studentQuantile(z, sum * sum / squares) : z)
        return Interval(estimate - half, estimate + half)
    }
}

/// The shape of always-valid intervals: they are narrowest when about `expectedUnits` units are there. It is the same for each alpha,
/// so an interval leaves nought out exactly when the p value is below its alpha.
package struct ConfidenceSequence: Sendable, Hashable {
    package static let alpha = 0.05

    private let squaredRho: Double

    package init(expectedUnits: Int) {
        let twice = -2 * log(Self.alpha)
        squaredRho = (twice + log(twice + 1)) / Double(expectedUnits)
    }

    /// Half of the interval's width with so many units, as a multiple of the standard error.
    package func multiple(_ count: Int, _ alpha: Double) -> Double { multiple(Double(count), alpha) }

    private func multiple(_ count: Double, _ alpha: Double) -> Double {
        let variance = count * squaredRho
        return (2 * (variance + 1) / variance * log((variance + 1).squareRoot() / alpha)).squareRoot()
    }

    /// The number of units with which a true difference of `effect` is found in four of five experiments. `variance` is the
    /// squared standard error times the number of units.
    package func units(variance: Double, effect: Double, alpha: Double = alpha) -> Double {
        let power = Statistics.normalQuantile(Statistics.power)
        let ratio = variance / (effect * effect)
        var count = ratio
        // The multiple grows as the root of a logarithm, so each step is far nearer than the one before.
        for _ in 0..<100 {
            let distance = multiple(count, alpha) + power
            count = ratio * distance * distance
        }
        return count
    }
}

package enum Statistics {
    /// The chance to find what is there, in a plan.
    package static let power = 0.8

    package static func wilson(_ share: Moments, _ z: Double) -> Interval {
        let (count, p) = (Double(share.count), share.mean)
        let middle = p + z * z / (2 * count)
        let half = z * (p * (1 - p) / count + z * z / (4 * count * count)).squareRoot()
        let whole = 1 + z * z / count
        return Interval((middle - half) / whole, (middle + half) / whole)
    }

    /// The logarithm of the evidence that arms have other shares than those given: the sequential multinomial test of Lindon and
    /// Malek. It passes ln(1/a) ever with a probability of at most a when the shares are right. Shares add up to 1, none is 0.
    package static func sampleRatio(_ counts: [Int], shares: [Double]) -> Double {
        let strength = 1000.0
        let total = Double(counts.reduce(0, +))
        var evidence = lgamma(strength).0 - lgamma(strength + total).0
        for (count, share) in zip(counts, shares) {
            let prior = strength * share
            evidence += lgamma(prior + Double(count)).0 - lgamma(prior).0 - Double(count) * log(share)
        }
        return evidence
    }

    /// The values between which the middle 98 % lie: the smallest value that at least 1 % do not exceed, and that at least 99 %
    /// do not.
    package static func middle(_ values: [Int64: Int]) -> ClosedRange<Int64>? {
        let sorted = values.sorted { $0.key < $1.key }
        let total = sorted.reduce(0) { $0 + $1.value }
        var count = 0
        var low: Int64?
        for (value, units) in sorted {
            count += units
            if low == nil, count * 100 >= total { low = value }
            if let low, count * 100 >= total * 99 { return low...value }
        }
        return nil
    }

    /// The number of subscribers that a test needs which is looked at once. `variance` is the squared standard error times the
    /// number of units.
    package static func unitsForOneLook(variance: Double, effect: Double, alpha: Double = 0.05) -> Double {
        let distance = normalQuantile(1 - alpha / 2) + normalQuantile(power)
        return distance * distance * variance / (effect * effect)
    }

    package static func normalQuantile(_ probability: Double) -> Double {
        var (low, high) = (-40.0, 40.0)
        while true {
            let middle = (low + high) / 2
            guard middle > low, middle < high else { return middle }
            if erfc(-middle / 2.0.squareRoot()) / 2 < probability { low = middle } else { high = middle }
        }
    }

    /// Student's quantile for the normal one (Abramowitz and Stegun 26.7.5): wrong by less than 1e-9 from 100 degrees on.
    package static func studentQuantile(_ z: Double, _ degrees: Double) -> Double {
        let square = z * z
        let terms = [
            z * (square + 1) / 4,
            z * ((5 * square + 16) * square + 3) / 96,
            z * (((3 * square + 19) * square + 17) * square - 15) / 384,
            z * ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92_160,
        ]
        return z + terms.reversed().reduce(0.0) { ($0 + $1) / degrees }
    }
}

/// An experiment that has not begun. Shares are those of all who view the page on which they could cancel; the message is seen
/// only by those who then tap Cancel, and only they have the baseline and the effect.
package struct ExperimentPlan: Sendable, Hashable {
    /// The share that stays without a message.
    package var baseline = 0.017
    /// What messages add to the baseline: Apple's average, 1.4 points.
    package var effect = 0.014
    package var tapShare = 1.0
    package var heldOut = 0.1
    package var expectedUnits = 5000

    package init() {}

    /// The difference between the shares of all viewers who stay.
    package var dilutedEffect: Double { tapShare * effect }

    private var variance: Double {
        let control = 1 - tapShare + tapShare * baseline
        let treated = control + dilutedEffect
        return control * (1 - control) / heldOut + treated * (1 - treated) / (1 - heldOut)
    }

    /// The subscribers until a verdict that may be looked at every day.
    package var units: Double {
        ConfidenceSequence(expectedUnits: expectedUnits).units(variance: variance, effect: dilutedEffect)
    }

    package var unitsForOneLook: Double {
        Statistics.unitsForOneLook(variance: variance, effect: dilutedEffect)
    }
}
