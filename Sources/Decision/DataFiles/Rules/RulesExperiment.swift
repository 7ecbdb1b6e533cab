/// A split of the subscribers that a rules file makes, with what a reader of the decision log must know of it. The
/// conditions and outcomes around it are left out.
public struct RulesExperiment: Sendable, Hashable {
    /// How the subscribers are split.
    public enum Division: Sendable, Hashable {
        /// The holdout of the file: `basisPoints` of 10000 buckets are held out.
        case holdout(basisPoints: Int)
        /// The rollout of a rule: `basisPoints` of 10000 buckets are in.
        case rollout(basisPoints: Int)
        /// The arms of a rule, in their order; `weight` is how many of 10000 buckets an arm takes.
        case variants(arms: [(name: String, weight: Int)])

        /// Returns true when both split the subscribers in the same way.
        public static func == (one: Division, other: Division) -> Bool {
            switch (one, other) {
            case (.holdout(let one), .holdout(let other)), (.rollout(let one), .rollout(let other)):
                one == other
            case (.variants(let one), .variants(let other)):
                one.map(\.name) == other.map(\.name) && one.map(\.weight) == other.map(\.weight)
            default: false
            }
        }

        /// Hashes the basis points, or the weights of the arms.
        public func hash(into hasher: inout Hasher) {
            switch self {
            case .holdout(let basisPoints), .rollout(let basisPoints): hasher.combine(basisPoints)
            case .variants(let arms): hasher.combine(arms.map(\.weight))
            }
        }
    }

    /// The id of the rule; nil for the holdout.
    public let rule: String?
    /// The salt of the hash, which makes the split independent of others.
    public let salt: String
    /// The name of the fact that is hashed.
    public let unit: String
    /// How the subscribers are split.
    public let division: Division
    /// The first millisecond since 1970 at which the split is over; nil when it has no end.
    public let until: Int64?
}

extension RulesFile {
    /// Calls `body` for the holdout, then for the rollout and the arms of each rule that is switched on, in the order
    /// of the rules. Reads one rule at a time. The loader calls this; it allocates strings.
    public func forEachExperiment(_ body: (RulesExperiment) -> Void) {
        withBytes { bytes in
            let reader = ModelReader(tables: tables)
            if let holdout = reader.holdout(bytes) {
                body(
                    experiment(
                        nil, holdout.split, .holdout(basisPoints: holdout.split.basisPoints), holdout.until)
                )
            }
            for index in 0..<tables.rules.count {
                guard let steps = tables.ruleSteps.record(at: index, in: bytes),
                    !steps.rollout.isNone || !steps.variants.isNone,
                    let rule = reader.rule(at: index, bytes), rule.isEnabled
                else { continue }
                if let rollout = rule.rollout {
                    let division = RulesExperiment.Division.rollout(basisPoints: rollout.basisPoints)
                    body(experiment(rule.id, rollout, division, rule.windowTo))
                }
                if case .variants(let variants) = rule.choice {
                    let split = RulesModel.Split(
                        salt: variants.salt, unit: variants.unit, basisPoints: 10_000)
                    let arms = variants.arms.map { (name: $0.name, weight: $0.weight) }
                    body(experiment(rule.id, split, .variants(arms: arms), rule.windowTo))
                }
            }
        }
    }

    private func experiment(
        _ rule: String?, _ split: RulesModel.Split, _ division: RulesExperiment.Division, _ until: Int64?
    ) -> RulesExperiment {
        RulesExperiment(
            rule: rule, salt: split.salt, unit: name(of: split.unit) ?? "\(split.unit.number)",
            division: division, until: until)
    }
}
