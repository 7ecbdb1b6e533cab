internal import JSON
internal import NotificationStore
internal import System

/// A random draw of a rules file, in the words of a report.
struct EffectDraw: Sendable, Hashable {
    let experiment: Experiment
    /// The fact by which the rules draw: `originalTransactionId` or another.
    let unit: String
    /// The control first.
    private(set) var arms: [Epoch.Arm]
    /// The end, milliseconds since 1970; nil when there is none.
    let until: Int64?

    /// Reads the `experiments` of a rules file, as the lines of workers about it have them. One with many arms stands in several
    /// entries; the others begin at `firstArm`.
    static func all(_ json: String) -> [EffectDraw] {
        let limits = JSONLimits(byteCount: 64 << 20, depth: 8)
        let document = try? JSONDocument(parsing: json.utf8Span.span, limits: limits)
        let entries = (document?.root.elements ?? []).map { entry in
            (entry, firstArm: entry.member("firstArm")?.int64 ?? 0)
        }
        var found: [EffectDraw] = []
        for (entry, _) in entries.sorted(by: { $0.firstArm < $1.firstArm }) {
            guard let draw = EffectDraw(entry) else { continue }
            let begun = found.firstIndex { $0.experiment == draw.experiment }
            if let begun, draw.experiment.kind == .arms {
                found[begun].arms += draw.arms
            } else {
                found.append(draw)
            }
        }
        return found
    }

    private init?(_ entry: JSONValue) {
        guard let salt = entry.member("salt")?.string, let unit = entry.member("unit")?.string else {
            return nil
        }
        let rule = entry.member("rule")?.string
        let share = entry.member("shares")?.element(at: 0)?.share("basisPoints")
        switch (entry.member("kind")?.string, share) {
        case ("holdout", let share?):
            experiment = Experiment(.holdout, rule: nil, salt: salt)
            arms = [Epoch.Arm(Self.heldOut, share), Epoch.Arm(Self.treated, 10_000 - share)]
        case ("rollout", let share?):
            experiment = Experiment(.rollout, rule: rule, salt: salt)
            arms = [Epoch.Arm(Self.out, 10_000 - share), Epoch.Arm(Self.inside, share)]
        case ("variants", _):
            experiment = Experiment(.arms, rule: rule, salt: salt)
            arms = (entry.member("arms")?.elements ?? []).compactMap { arm in
                guard let name = arm.member("name")?.string, let weight = arm.share("weight") else {
                    return nil
                }
                return Epoch.Arm(name, weight)
            }
        default: return nil
        }
        self.unit = unit
        until = entry.member("until")?.string.flatMap { CivilTime($0)?.milliseconds }
    }

    private static let (heldOut, treated, out, inside) = ("heldOut", "treated", "out", "in")
    private static let rolloutStep = "rollout"

    /// Returns the arm that was drawn for a request; nil when this draw was not made then.
    func arm(of decision: StoredDecision) -> String? {
        let draws = decision.draws
        guard draws.isDrawn, until.map({ decision.signedAt < $0 }) ?? true else { return nil }
        if experiment.kind == .holdout { return draws.isHeldOut ? Self.heldOut : Self.treated }
        // What was drawn for who is held out could not be served.
        guard !draws.isHeldOut, let draw = draws.rules.first(where: { $0.rule == experiment.rule }) else {
            return nil
        }
        if experiment.kind == .rollout { return draw.step == Self.rolloutStep ? Self.out : Self.inside }
        return draw.arm.flatMap { arm in arms.contains { $0.name == arm } ? arm : nil }
    }

    /// Returns the arm that a bucket of 10,000 belongs to.
    func arm(ofBucket bucket: Int) -> String? {
        // A rollout takes the buckets from below, and its control what is left.
        var end = 0
        for arm in experiment.kind == .rollout ? arms.reversed() : arms {
            end += arm.share
            if bucket < end { return arm.name }
        }
        return nil
    }
}

extension JSONValue {
    fileprivate func share(_ name: StaticString) -> Int? {
        member(name)?.int64.flatMap { (0...10_000).contains($0) ? Int($0) : nil }
    }
}

/// A subscriber in an experiment, counted at the first request at which the draw was made, in the arm that was drawn.
struct EffectUnit {
    let draw: EffectDraw
    let arm: String
    let first: StoredDecision

    /// Finds the units of one subscriber in decisions in the order of time, by the draws of each rules file.
    static func all(
        of decisions: some Sequence<StoredDecision>, _ draws: [String: [EffectDraw]]
    ) -> [EffectUnit] {
        var units: [EffectUnit] = []
        for decision in decisions {
            for draw in draws[decision.digest] ?? [] {
                guard let arm = draw.arm(of: decision),
                    !units.contains(where: { $0.draw.experiment == draw.experiment })
                else { continue }
                units.append(EffectUnit(draw: draw, arm: arm, first: decision))
            }
        }
        return units
    }
}
