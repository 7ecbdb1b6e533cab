@testable import Effect
import Support
import System
import Testing

/// Worlds of a holdout at the level of sums, in which the truth is known.
@Suite("Verdicts and intervals in worlds with a known truth")
struct NullWorldsTests {
    private static let isLong = ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1"
    private static let dayCount = 180

    /// Draws how many of so many units have something.
    private struct Binomial {
        /// For each number of units, the chances of at most 0, 1, 2, … of them.
        private let chances: [[Double]]

        init(_ p: Double, upTo greatest: Int) {
            chances = (0...greatest).map { count in
                var chance = (0..<count).reduce(1.0) { product, _ in product * (1 - p) }
                var sum = 0.0
                return (0...count).map { yes in
                    sum += chance
                    chance *= Double(count - yes) / Double(yes + 1) * p / (1 - p)
                    return sum
                }
            }
        }

        func draw(of count: Int, _ random: inout SeededGenerator) -> Int {
            let number = Double.random(in: 0..<1, using: &random)
            return chances[count].firstIndex { number < $0 } ?? count
        }
    }

    /// A holdout with some tens of requests a day. `kept` are the shares that stay.
    private struct World {
        let kept: (heldOut: Double, treated: Double)
        private let arms: Binomial
        private let heldOut: Binomial
        private let treated: Binomial
        private let share: Int
        private let perDay = 60

        init(kept: (heldOut: Double, treated: Double), heldOut share: Double = 0.1) {
            (self.kept, self.share) = (kept, Int((share * 10_000).rounded()))
            arms = Binomial(share, upTo: perDay)
            heldOut = Binomial(kept.heldOut, upTo: perDay)
            treated = Binomial(kept.treated, upTo: perDay)
        }

        func sums(days: Int, _ random: inout SeededGenerator) -> ExperimentSums {
            var sums = ExperimentSums(Experiment(.holdout, rule: nil, salt: "null"))
            sums.epochs = [
                Epoch(
                    arms: [Epoch.Arm("heldOut", share), Epoch.Arm("treated", 10_000 - share)], from: 0,
                    present: days * perDay, missing: 0)
            ]
            for day in 0..<days {
                let count = arms.draw(of: perDay, &random)
                for (name, units, kept) in [
                    ("heldOut", count, heldOut), ("treated", perDay - count, treated),
                ] {
                    var cell = EffectCell(epoch: 0, arm: name, day: 20_000 + day)
                    let yes = kept.draw(of: units, &random)
                    cell.units = units
                    cell.values[OutcomeKey(.kept24h)] = [0: units - yes, 1: yes]
                    sums.cells.append(cell)
                }
            }
            return sums
        }
    }

    private static func report(_ sums: ExperimentSums) throws -> ExperimentReport {
        var all = EffectSums(app: "com.example.app", environment: "Production", now: 0)
        all.experiments = [sums]
        return try #require(EffectReport(all, EffectReport.Options()).experiments.first)
    }

    /// The same rule with the interval for one look would find something in a third of the worlds in which nothing is.
    @Test("says better or worse in at most 5 % of the worlds without an effect, on any of 180 days")
    func nulls() throws {
        var random = SeededGenerator(for: "NullWorldsTests.nulls")
        let worldCount = Self.isLong ? 2000 : 500
        let worlds = [0.12, 0.5, 0.85].map { World(kept: ($0, $0)) }
        var (wrong, wrongFixed, verdicts) = (0, 0, 0)
        for number in 0..<worldCount {
            let sums = worlds[number % worlds.count].sums(days: Self.dayCount, &random)
            let days = try #require(try Self.report(sums).comparisons.first).days
            let counted = days.filter { $0.verdict != .notEnoughData }
            verdicts += counted.count
            if counted.contains(where: { $0.verdict != .undecided }) { wrong += 1 }
            if counted.contains(where: { !$0.estimate.fixed.contains(0) }) { wrongFixed += 1 }
        }
        print("null worlds: \(wrong) of \(worldCount) wrong, \(wrongFixed) with the fixed interval")
        #expect(verdicts > worldCount * 100)
        #expect(wrong * 20 <= worldCount)
        #expect(wrongFixed * 20 > worldCount * 3)
    }

    @Test(
        "covers the truth by the fixed interval in 93.5 to 96.5 % of the worlds, and always by the other one")
    func coverage() throws {
        var random = SeededGenerator(for: "NullWorldsTests.coverage")
        let worldCount = Self.isLong ? 10_000 : 1000
        let worlds = [(0.12, 0.15), (0.5, 0.47), (0.9, 0.9)].map { World(kept: $0) }
        var (fixed, valid) = (0, 0)
        for number in 0..<worldCount {
            let world = worlds[number % worlds.count]
            let report = try Self.report(world.sums(days: 60, &random).folded)
            let estimate = try #require(report.comparisons.first?.primary)
            let truth = world.kept.treated - world.kept.heldOut
            if estimate.fixed.contains(truth) { fixed += 1 }
            if estimate.interval.contains(truth) { valid += 1 }
        }
        print("coverage: \(fixed) of \(worldCount) by the fixed interval, \(valid) by the always-valid one")
        #expect((worldCount * 935 / 1000...worldCount * 965 / 1000).contains(fixed))
        #expect(valid > fixed)
    }

    /// More are held out just when fewer stay anyhow. To add the epochs up would find that messages drive subscribers away.
    @Test("covers the truth over epochs with other shares")
    func ramp() throws {
        var random = SeededGenerator(for: "NullWorldsTests.ramp")
        let worldCount = Self.isLong ? 10_000 : 1000
        let (first, second) = (World(kept: (0.3, 0.33)), World(kept: (0.7, 0.73), heldOut: 0.5))
        var covered = 0
        for _ in 0..<worldCount {
            var sums = first.sums(days: 30, &random).folded
            let later = second.sums(days: 10, &random).folded
            sums.epochs += later.epochs
            sums.cells += later.cells.map { cell in
                var moved = EffectCell(epoch: 1, arm: cell.arm, day: cell.day + 30)
                (moved.units, moved.values) = (cell.units, cell.values)
                return moved
            }
            let estimate = try #require(try Self.report(sums).comparisons.first?.primary)
            if estimate.fixed.contains(0.03) { covered += 1 }
        }
        print("coverage over epochs: \(covered) of \(worldCount)")
        #expect((worldCount * 935 / 1000...worldCount * 965 / 1000).contains(covered))
    }

    @Test("finds an effect that is there, in its direction", arguments: [0.12, -0.12])
    func effects(effect: Double) throws {
        var random = SeededGenerator(for: "NullWorldsTests.effects")
        let world = World(kept: (0.5, 0.5 + effect))
        for _ in 0..<20 {
            let comparison = try #require(
                try Self.report(world.sums(days: Self.dayCount, &random)).comparisons.first)
            #expect(comparison.verdict == (effect > 0 ? .better : .worse))
        }
    }
}

extension ExperimentSums {
    /// All days as one.
    fileprivate var folded: ExperimentSums {
        var sums = self
        sums.cells = []
        for cell in cells {
            guard let index = sums.cells.firstIndex(where: { $0.arm == cell.arm }) else {
                sums.cells.append(cell)
                continue
            }
            sums.cells[index].units += cell.units
            for (key, values) in cell.values {
                sums.cells[index].values[key, default: [:]].merge(values) { $0 + $1 }
            }
        }
        return sums
    }
}
