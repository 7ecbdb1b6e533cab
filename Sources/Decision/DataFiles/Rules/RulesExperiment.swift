internal import System

/// A split of the subscribers that a rules file makes, with what a reader of the decision log must know of it. The
/// conditions and outcomes around it are left out.
public struct RulesExperiment: Sendable {
    /// How the subscribers are split.
    public enum Division: Sendable {
        /// The holdout of the file: `basisPoints` of 10000 buckets are held out.
        case holdout(basisPoints: Int)
        /// The rollout of a rule: `basisPoints` of 10000 buckets are in.
        case rollout(basisPoints: Int)
        /// The arms of a rule, in their order; `weight` is how many of 10000 buckets an arm takes.
        case variants(arms: [(name: String, weight: Int)])
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
    /// of the rules. It allocates strings.
    public func forEachExperiment(_ body: (RulesExperiment) -> Void) {
        withBytes { bytes in
            func report(
                _ rule: Int?, _ split: EntryReference, _ until: Int64,
                _ division: (SplitRecord) -> RulesExperiment.Division
            ) {
                guard let split = tables.splits.record(at: split.index, in: bytes) else { return }
                let unit = UInt16(exactly: split.unit).flatMap(Fact.init(number:)).flatMap(name(of:))
                body(
                    RulesExperiment(
                        rule: rule.flatMap(ruleID(at:)), salt: string(split.salt) ?? "", unit: unit ?? "",
                        division: division(split), until: until == .max ? nil : until))
            }
            if let holdout = tables.holdout.record(at: 0, in: bytes) {
                report(nil, holdout.split, holdout.until) { .holdout(basisPoints: Int($0.basisPoints)) }
            }
            for index in 0..<tables.rules.count {
                guard let steps = tables.ruleSteps.record(at: index, in: bytes),
                    let rule = tables.rules.record(at: index, in: bytes),
                    rule.flags & RuleFlags.enabled != 0
                else { continue }
                report(index, steps.rollout, rule.windowTo) { .rollout(basisPoints: Int($0.basisPoints)) }
                report(index, steps.variants, rule.windowTo) { _ in .variants(arms: arms(of: steps, bytes)) }
            }
        }
    }

    private func arms(of steps: RuleStepsRecord, _ bytes: RawSpan) -> [(name: String, weight: Int)] {
        var begin: UInt32 = 0
        return (0..<Int(steps.armCount)).compactMap { position in
            guard let arm = tables.arms.record(at: steps.firstArm.index + position, in: bytes) else {
                return nil
            }
            defer { begin = arm.end }
            return (string(arm.name) ?? "", Int(arm.end - begin))
        }
    }
}
