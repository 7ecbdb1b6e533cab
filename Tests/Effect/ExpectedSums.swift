@testable import Effect
@testable import Lives
import Rules

/// The sums that follow from the truth of a world. The draws are made here once more, in the words of the contract.
extension EffectWorld {
    private struct Drawn {
        let experiment: Experiment
        let arms: [Epoch.Arm]
        let arm: String
        let answer: String
    }

    func sums(now: Int64, notificationsUntil: Int64) -> EffectSums {
        var sums = EffectSums(app: DeliveryDesk.app, environment: DeliveryDesk.environment, now: now)
        let last = requests.last?.at
        let horizon = min(now, notificationsUntil, last ?? .min)
        sums.quality.decisions = requests.count
        sums.quality.decisionsUntil = last
        sums.quality.notificationsUntil = notificationsUntil
        var counted: Set<String> = []
        var units: [Experiment: [(request: Request, drawn: Drawn)]] = [:]
        for request in requests where request.at <= now {
            for drawn in drawn(request)
            where counted.insert("\(drawn.experiment) \(request.subscriber)").inserted {
                units[drawn.experiment, default: []].append((request, drawn))
            }
        }
        for (experiment, units) in units.sorted(by: { $0.key < $1.key }) {
            sums.experiments.append(self.sums(of: experiment, units, horizon))
        }
        sums.quality.knownUnits = Set(units.values.joined().map(\.request.subscriber)).count
        return sums
    }

    private func sums(
        of experiment: Experiment, _ units: [(request: Request, drawn: Drawn)], _ horizon: Int64
    ) -> ExperimentSums {
        var sums = ExperimentSums(experiment)
        sums.checkedUnits = units.count
        for (request, drawn) in units {
            let shares = drawn.arms.map(\.share)
            if !sums.epochs.contains(where: { $0.arms.map(\.share) == shares }) {
                let file = request.at < Self.changedAt
                let count = requests.count { ($0.at < Self.changedAt) == file }
                sums.epochs.append(Epoch(arms: drawn.arms, from: request.at, present: count, missing: 0))
            }
            sums.answers[drawn.arm, default: [:]][drawn.answer, default: 0] += 1
        }
        for (number, epoch) in sums.epochs.enumerated() {
            for arm in epoch.arms {
                let own = units.filter {
                    $0.drawn.arm == arm.name && $0.drawn.arms.map(\.share) == epoch.arms.map(\.share)
                }
                let days = Dictionary(grouping: own) { Int($0.request.at / 86_400_000) }
                for (day, units) in days.sorted(by: { $0.key < $1.key }) {
                    var cell = EffectCell(epoch: number, arm: arm.name, day: day)
                    cell.units = units.count
                    for unit in units {
                        let truth = lives[unit.request.subscriber].truth
                        for (key, value) in truth.outcomes(of: unit.request.at, by: horizon) {
                            cell.values[key, default: [:]][value, default: 0] += 1
                        }
                    }
                    sums.cells.append(cell)
                }
            }
        }
        return sums
    }

    private func drawn(_ request: Request) -> [Drawn] {
        let isFirst = request.at < Self.changedAt
        func bucket(_ salt: String) -> Int { Bucketing.bucket(salt: salt, unit: Self.id(request.subscriber)) }
        let (held, share) = isFirst ? (2_000, 5_000) : (1_000, 8_000)
        let isHeldOut = bucket("holdout") < held
        let reaches = ["monthly", "team", "year"].contains(request.product)
        let isIn = reaches && bucket("some") < share
        let weights = isFirst ? [4_000, 3_000, 3_000] : [5_000, 2_500, 2_500]
        let place = bucket("others")
        let arm = place < weights[0] ? 0 : place < weights[0] + weights[1] ? 1 : 2
        let answer = isIn ? "message" : arm == 0 ? "switch" : "none"
        var found = [
            Drawn(
                experiment: Experiment(.holdout, rule: nil, salt: "holdout"),
                arms: [Epoch.Arm("heldOut", held), Epoch.Arm("treated", 10_000 - held)],
                arm: isHeldOut ? "heldOut" : "treated",
                answer: isHeldOut ? "none" : answer)
        ]
        guard !isHeldOut else { return found }
        if reaches {
            found.append(
                Drawn(
                    experiment: Experiment(.rollout, rule: "some", salt: "some"),
                    arms: [Epoch.Arm("out", 10_000 - share), Epoch.Arm("in", share)],
                    arm: isIn ? "in" : "out", answer: answer))
        }
        if !isIn {
            let arms = zip(Self.armNames, weights).map { Epoch.Arm($0, $1) }
            found.append(
                Drawn(
                    experiment: Experiment(.arms, rule: "others", salt: "others"), arms: arms,
                    arm: Self.armNames[arm], answer: answer))
        }
        return found
    }
}
