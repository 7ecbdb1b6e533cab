@testable import Effect
@testable import NotificationStore
import Testing

@Suite("A report on an experiment whose shares changed")
struct RampTests {
    /// Sums of 1,000 subscribers a day in each arm; of `kept` in a thousand it is known that they stayed.
    private static func report(_ epochs: [(arms: [Epoch.Arm], kept: [Int])])
        -> ExperimentReport?
    {
        var sums = ExperimentSums(Experiment(.rollout, rule: "r", salt: "s"))
        for (number, epoch) in epochs.enumerated() {
            sums.epochs.append(
                Epoch(arms: epoch.arms, from: Int64(number) * 864_000_000, present: 20_000, missing: 0))
            for (arm, kept) in zip(epoch.arms, epoch.kept) where arm.share > 0 {
                for day in 0..<10 {
                    var cell = EffectCell(epoch: number, arm: arm.name, day: 20_000 + 10 * number + day)
                    cell.units = 1000
                    cell.values = [OutcomeKey(.kept24h): [1: kept, 0: 1000 - kept]]
                    sums.cells.append(cell)
                }
            }
        }
        var all = EffectSums(app: "a", environment: "Production", now: 0)
        all.experiments = [sums]
        return EffectReport(all, EffectReport.Options()).experiments.first
    }

    @Test("compares with who was outside, also when everybody is inside by now")
    func ramp() throws {
        let half = (arms: [Epoch.Arm("out", 5000), Epoch.Arm("in", 5000)], kept: [500, 560])
        let all = (arms: [Epoch.Arm("out", 0), Epoch.Arm("in", 10_000)], kept: [0, 560])
        let report = try #require(Self.report([half, all]))
        #expect(report.arms == ["out", "in"] && report.problems.isEmpty)
        #expect(report.comparisons.map(\.arm) == ["in"] && report.comparisons.map(\.verdict) == [.better])
        #expect(Self.report([all]) == nil)
    }

    @Test("leaves out arms that were never compared with the control of today")
    func renamed() throws {
        let old = (arms: [Epoch.Arm("text", 5000), Epoch.Arm("switch", 5000)], kept: [500, 560])
        let new = (arms: [Epoch.Arm("plain", 5000), Epoch.Arm("other", 5000)], kept: [500, 500])
        let report = try #require(Self.report([old, new]))
        #expect(report.arms == ["plain", "other"] && report.comparisons.map(\.arm) == ["other"])
    }

    @Test("counts nobody in a holdout that has ended")
    func ended() {
        let holdout = """
            [{"kind": "holdout", "salt": "h", "unit": "originalTransactionId", "shares": [{"basisPoints": 1000}],
              "until": "1970-01-01T00:00:01Z"}]
            """
        let draws = ["d": EffectDraw.all(holdout)]
        func arms(_ signedAt: Int64) -> [String] {
            let decision = StoredDecision(
                subscriber: "s", signedAt: signedAt, requestIdentifier: "r", digest: "d",
                draws: DecisionDraws(isHeldOut: false, isDrawn: true, rules: []), product: "p", served: "none"
            )
            return EffectUnit.all(of: [decision], draws).map(\.arm)
        }
        #expect(arms(999) == ["treated"] && arms(1000) == [])
    }
}
