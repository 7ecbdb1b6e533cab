internal import NotificationStore
internal import Rules
internal import SubscriberHistory

/// Adds subscribers up to the sums of a report. The order in which they come does not matter.
struct EffectTally: Sendable {
    /// The draws of each rules file.
    let draws: [String: [EffectDraw]]
    /// The sums without experiments.
    private(set) var sums: EffectSums
    private var tallies: [Experiment: ExperimentTally] = [:]

    private let notifications: EffectNotifications

    init(_ sums: EffectSums, _ notifications: EffectNotifications, draws: [String: [EffectDraw]]) {
        (self.sums, self.notifications, self.draws) = (sums, notifications, draws)
    }

    /// Outcomes that are known later do not count yet. A gap before a request does not matter to it.
    private func horizon(_ request: Int64) -> Int64 {
        min(sums.now, notifications.until(from: request), sums.quality.decisionsUntil ?? .min)
    }

    /// Adds the units of a subscriber; `id` and `payloads` are nil when the store does not know the subscriber.
    mutating func add(_ units: [EffectUnit], id: String?, _ payloads: SubscriberPayloads?) {
        var outcomes: [Int64: [(key: OutcomeKey, value: Int64)]] = [:]
        for unit in units {
            let time = unit.first.signedAt
            let values =
                outcomes[time]
                ?? UnitOutcomes.known(payloads, at: time, of: unit.first.product, by: horizon(time))
            outcomes[time] = values
            tallies[unit.draw.experiment, default: ExperimentTally()].add(unit, values)
            if let id, let payloads { check(unit, id, payloads) }
        }
        if payloads != nil { sums.quality.knownUnits += 1 } else { sums.quality.unknownUnits += 1 }
    }

    /// Adds a tally of other subscribers.
    mutating func add(_ other: EffectTally) {
        for (experiment, tally) in other.tallies {
            tallies[experiment, default: ExperimentTally()].add(tally)
        }
        sums.quality.knownUnits += other.sums.quality.knownUnits
        sums.quality.unknownUnits += other.sums.quality.unknownUnits
    }

    /// Draws anew: a host with another file or program draws otherwise than it says.
    private mutating func check(_ unit: EffectUnit, _ id: String, _ payloads: SubscriberPayloads) {
        let text: String? =
            switch unit.draw.unit {
            case "originalTransactionId": id
            case "appAccountToken": SubscriberOutcomes(payloads, at: unit.first.signedAt).appAccountToken
            // Only the pool knew it.
            default: nil
            }
        guard let text else { return }
        let bucket = Bucketing.bucket(salt: unit.draw.experiment.salt, unit: text)
        let isSame = unit.draw.arm(ofBucket: bucket) == unit.arm
        tallies[unit.draw.experiment]?.addCheck(isSame: isSame)
    }

    /// `key` is the fingerprint of the one that made the pseudonyms.
    func finish(_ instances: [DecisionInstance], key: String) -> EffectSums {
        var result = sums
        result.experiments = tallies.sorted { $0.key < $1.key }.map { experiment, tally in
            func serving(_ isOwn: (EffectDraw) -> Bool) -> [DecisionInstance] {
                instances.filter { $0.digests.contains { draws[$0]?.contains(where: isOwn) ?? false } }
            }
            var sums = tally.sums(of: experiment) { arms in
                serving { $0.experiment == experiment && $0.arms == arms }
            }
            let workers = serving { $0.experiment == experiment }
            sums.otherKeyInstances = workers.count { $0.hasOtherKey(than: key) }
            sums.notificationGaps = notifications.gaps(from: sums.epochs[0].from)
            return sums
        }
        return result
    }
}

/// The units of one experiment.
private struct ExperimentTally: Sendable {
    private struct Place: Hashable {
        let shares: [Epoch.Arm]
        let arm: String
        let day: Int
    }

    /// The time of the first draw by the shares. Hosts change their files one after another, so a time does not part epochs.
    private var begins: [[Epoch.Arm]: Int64] = [:]
    /// Which epochs there are is known at the end.
    private var cells: [Place: EffectCell] = [:]
    private var answers: [String: [String: Int]] = [:]
    private var checkedUnits = 0
    private var differentUnits = 0

    mutating func add(_ unit: EffectUnit, _ values: [(key: OutcomeKey, value: Int64)]) {
        let (shares, time) = (unit.draw.arms, unit.first.signedAt)
        begins[shares] = min(begins[shares] ?? time, time)
        let place = Place(shares: shares, arm: unit.arm, day: Int(time / 86_400_000))
        change(place) { cell in
            cell.units += 1
            for (key, value) in values { cell.values[key, default: [:]][value, default: 0] += 1 }
        }
        answers[unit.arm, default: [:]][unit.first.served, default: 0] += 1
    }

    mutating func add(_ other: ExperimentTally) {
        begins.merge(other.begins) { min($0, $1) }
        for (place, added) in other.cells {
            change(place) { cell in
                cell.units += added.units
                cell.values.merge(added.values) { $0.merging($1, uniquingKeysWith: +) }
            }
        }
        for (arm, kinds) in other.answers { answers[arm, default: [:]].merge(kinds, uniquingKeysWith: +) }
        checkedUnits += other.checkedUnits
        differentUnits += other.differentUnits
    }

    private mutating func change(_ place: Place, _ body: (inout EffectCell) -> Void) {
        body(&cells[place, default: EffectCell(epoch: 0, arm: place.arm, day: place.day)])
    }

    mutating func addCheck(isSame: Bool) {
        checkedUnits += 1
        if !isSame { differentUnits += 1 }
    }

    /// `workers` are those that drew by the shares.
    func sums(of experiment: Experiment, _ workers: ([Epoch.Arm]) -> [DecisionInstance]) -> ExperimentSums {
        let epochs = begins.sorted { left, right in
            if left.value != right.value { return left.value < right.value }
            let names = (left.key.map(\.name), right.key.map(\.name))
            if names.0 != names.1 { return names.0.lexicographicallyPrecedes(names.1) }
            return left.key.map(\.share).lexicographicallyPrecedes(right.key.map(\.share))
        }
        var sums = ExperimentSums(experiment)
        for (shares, begin) in epochs {
            let serving = workers(shares)
            sums.epochs.append(
                Epoch(
                    arms: shares, from: begin, present: serving.reduce(0) { $0 + $1.presentCount },
                    missing: serving.reduce(0) { $0 + $1.missingCount }))
        }
        for (number, epoch) in epochs.enumerated() {
            for (place, cell) in cells where place.shares == epoch.key {
                var cell = cell
                cell.epoch = number
                sums.cells.append(cell)
            }
        }
        sums.sortCells()
        (sums.answers, sums.checkedUnits, sums.differentUnits) = (answers, checkedUnits, differentUnits)
        return sums
    }
}

extension DecisionInstance {
    func hasOtherKey(than key: String) -> Bool { identifierKey.map { $0 != key } ?? false }
}
