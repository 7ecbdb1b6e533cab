internal import Decisions
internal import Telemetry

/// Counts the rules that decisions passed over.
extension RequestObserver {
    /// Notes the rules that a decision passed over. ``countSkippedRules()`` counts them after the answer has been sent.
    func noteSkippedRules(_ rules: SkippedRules) {
        skippedRules += rules
    }

    /// Counts the rules that were passed over since the last call, by the step that failed. It does not count rules for
    /// other products, nor rules whose condition is simply false.
    func countSkippedRules() {
        guard skippedRules != SkippedRules() else { return }
        let rules = skippedRules
        skippedRules = SkippedRules()
        let counts: [9 of (Counter, UInt32)] = [
            (.rulesDisabled, rules.disabled), (.rulesOutsideWindow, rules.outsideWindow),
            (.rulesUnknown, rules.unknownCondition), (.rulesNotInRollout, rules.notInRollout),
            (.rulesNoArm, rules.noArm), (.rulesCapped, rules.capped), (.rulesUnapproved, rules.unapproved),
            (.rulesNoLocale, rules.noLocale), (.rulesSignFailed, rules.signFailed),
        ]
        for index in counts.indices where counts[index].1 > 0 {
            poolCounters.add(counts[index].0, UInt64(counts[index].1))
        }
    }
}
