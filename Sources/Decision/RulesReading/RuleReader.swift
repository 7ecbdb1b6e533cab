internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads `rules`.
struct RuleReader {
    let conditions: ConditionReader
    let outcomes: OutcomeReader
    let splits: SplitReader
    let segmentProducts: SegmentProducts
    /// Evaluates conditions for the declared products.
    let truths: ProductEvaluations

    /// Returns the good rules, and the ids of all rules, including those with errors.
    func rules(_ value: SourceValue) -> (rules: [RulesModel.Rule], ids: Set<String>) {
        guard let elements = value.elements(limit: DataFileLimits.ruleCount) else {
            return ([], Set(value.value.elements.compactMap { $0.member("id")?.string }))
        }
        var known: [String: String] = [:]
        let rules = elements.compactMap { rule($0, &known) }
        return (rules, Set(known.keys))
    }

    private func rule(_ value: SourceValue, _ known: inout [String: String]) -> RulesModel.Rule? {
        guard value.isObject else { return nil }
        value.checkKeys(.rule)
        let id = identifier(of: value, &known)
        let condition = value.member("when").flatMap { conditions.read($0) }
        let isEnabled = value.member("enabled")?.boolean
        let window = value.member("window").map(window)
        let rollout = value.member("rollout").flatMap { rollout in
            guard rollout.isObject else { return nil as RulesModel.Split? }
            rollout.checkKeys(.rollout)
            return splits.split(rollout)
        }
        let products = ProductSet(condition, segmentProducts)
        let origin = ProductOrigin(condition, products: products, truths: truths)
        let choice = choice(of: value, from: origin)
        guard let id, let choice else { return nil }
        var rule = RulesModel.Rule(id: id, choice: choice)
        rule.condition = condition
        rule.isEnabled = isEnabled ?? true
        (rule.windowFrom, rule.windowTo) = window ?? (nil, nil)
        rule.rollout = rollout
        return rule
    }

    private func identifier(of rule: SourceValue, _ known: inout [String: String]) -> String? {
        guard let value = rule.required("id"), let id = value.name else { return nil }
        if let first = known[id] {
            value.report(.duplicateID, "the id \"\(id)\" stands twice", hint: "first in \(first)")
            return nil
        }
        known[id] = rule.path.text
        return id
    }

    private func window(_ value: SourceValue) -> (Int64?, Int64?) {
        guard value.isObject else { return (nil, nil) }
        value.checkKeys(.window)
        let (from, to) = (value.member("from"), value.member("to"))
        guard from != nil || to != nil else {
            value.report(.badWindow, "a window needs \"from\", \"to\" or both")
            return (nil, nil)
        }
        let begin = from.flatMap(\.date)
        let end = to.flatMap(\.date)
        if let begin, let end, begin >= end {
            to?.report(
                .badWindow, "the window ends before it begins", hint: "\"to\" is the first moment after it")
            return (nil, nil)
        }
        return (begin, end)
    }

    private func choice(of rule: SourceValue, from origin: ProductOrigin) -> RulesModel.Choice? {
        let (serve, variants) = (rule.member("serve"), rule.member("variants"))
        if let serve, let variants {
            _ = outcomes.read(serve, from: origin)
            _ = splits.variants(variants) { outcomes.read($0, from: origin) }
            variants.reportKey(.ambiguousOutcome, "a rule serves one thing or has variants, not both")
            return nil
        }
        if let variants {
            return splits.variants(variants) { outcomes.read($0, from: origin) }.map { .variants($0) }
        }
        guard let serve else {
            rule.report(.missingKey, "\"serve\" is missing", hint: "or \"variants\"")
            return nil
        }
        return outcomes.read(serve, from: origin).map { .outcome($0) }
    }
}
