internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads `holdout`: the subscribers who are kept out of all rules, for comparison.
struct HoldoutReader {
    let splits: SplitReader
    let outcomes: OutcomeReader

    func read(_ value: SourceValue) -> RulesModel.Holdout? {
        guard value.isObject else { return nil }
        value.checkKeys(.holdout)
        let split = splits.split(value)
        let until = value.member("until")?.date
        let outcome = value.required("serve").flatMap(outcome)
        guard let split, let outcome else { return nil }
        return RulesModel.Holdout(split: split, until: until, outcome: outcome)
    }

    private func outcome(_ value: SourceValue) -> RulesModel.Outcome? {
        guard let outcome = outcomes.read(value) else { return nil }
        switch outcome {
        case .nothing, .message: return outcome
        case .switch, .offer, .advancedCommerce:
            value.report(
                .wrongOutcome, "a holdout serves \"none\" or a message",
                hint: "those who are held out show what happens without rules")
            return nil
        }
    }
}
