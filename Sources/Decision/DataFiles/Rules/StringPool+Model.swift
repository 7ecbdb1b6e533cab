internal import Vocabulary

extension StringPool {
    /// Collects every string of a model.
    mutating func collect(_ model: RulesModel) {
        collect(model.bundleId)
        collect(model.revision)
        for step in model.localeFallbacks { collect([step.locale, step.fallback]) }
        collect(model.lastLocale)
        for fact in model.facts { collect(fact.name) }
        for message in model.messages {
            collect(message.name)
            for identifier in message.identifiers { collect(identifier.locale) }
        }
        for segment in model.segments {
            collect(segment.name)
            collect(segment.condition)
        }
        if let holdout = model.holdout {
            collect(holdout.split.salt)
            collect(holdout.outcome)
        }
        for rule in model.rules { collect(rule) }
        if let outcome = model.defaultOutcome { collect(outcome) }
    }

    private mutating func collect(_ texts: [String?]) {
        for text in texts { collect(text) }
    }

    private mutating func collect(_ rule: RulesModel.Rule) {
        collect([rule.id, rule.rollout?.salt])
        if let condition = rule.condition { collect(condition) }
        if case .variants(let variants) = rule.choice {
            collect(variants.salt)
            for arm in variants.arms { collect(arm.name) }
        }
        for outcome in rule.choice.outcomes { collect(outcome) }
    }

    private mutating func collect(_ outcome: RulesModel.Outcome) {
        switch outcome {
        case .nothing, .message: break
        case .switch(_, let productId, let plan): collect([productId, plan?.rawValue])
        case .offer(_, let productId, let offerIdentifier): collect([productId, offerIdentifier])
        case .advancedCommerce(_, let request): collect(request)
        }
    }

    private mutating func collect(_ condition: Condition) {
        switch condition {
        case .all(let children), .any(let children):
            for child in children { collect(child) }
        case .not(let child): collect(child)
        case .predicate(let predicate):
            for operand in predicate.operands { collect(operand) }
        case .segment: break
        }
    }

    private mutating func collect(_ value: FactValue) {
        if case .string(let text) = value { collect(text) }
    }
}
