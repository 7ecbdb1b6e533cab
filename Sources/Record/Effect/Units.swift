internal import NotificationStore

/// A random draw of a rules file, in the words of a report.
struct EffectDraw: Sendable, Hashable {
    let experiment: Experiment
    /// The fact by which the rules draw: `originalTransactionId` or another.
    let unit: String
    /// The control first.
    let arms: [Epoch.Arm]
    /// The end, milliseconds since 1970; nil when there is none.
    private let until: Int64?

    init(_ logged: LoggedExperiment) {
        switch logged.division {
        case .holdout(let share):
            experiment = Experiment(.holdout, rule: nil, salt: logged.salt)
            arms = [Epoch.Arm(Self.heldOut, share), Epoch.Arm(Self.treated, 10_000 - share)]
        case .rollout(let share):
            experiment = Experiment(.rollout, rule: logged.rule, salt: logged.salt)
            arms = [Epoch.Arm(Self.out, 10_000 - share), Epoch.Arm(Self.inside, share)]
        case .arms(let all):
            experiment = Experiment(.arms, rule: logged.rule, salt: logged.salt)
            arms = all.map { Epoch.Arm($0.name, $0.weight) }
        }
        (unit, until) = (logged.unit, logged.until)
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
