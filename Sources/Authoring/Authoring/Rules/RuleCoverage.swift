package import Rules
package import System

/// Tells which rules may answer the subscribers of a product in a locale.
package struct RuleCoverage {
    /// The name under which the outcome of `default` is reported.
    package static let defaultName = "default"

    private let model: RulesModel
    private let evaluations: ProductEvaluations
    private let steps: [String: String]
    /// The locales in which each message has an identifier.
    private let named: [Set<String>]
    /// The locales in which each message is served.
    private let served: [Set<String>]

    /// Masked identifiers, and messages that are not in `approved`, are not served.
    package init(_ model: RulesModel, approved: Set<UUID>) {
        self.model = model
        evaluations = ProductEvaluations(model.segments)
        steps = Dictionary(model.localeFallbacks.map { ($0.locale, $0.fallback) }) { first, _ in first }
        named = model.messages.map { Set($0.identifiers.map(\.locale)) }
        served = model.messages.map { message in
            Set(
                message.identifiers.filter { !$0.isMasked && approved.contains($0.identifier) }.map(\.locale)
            )
        }
    }

    /// Returns the identifiers of the rules that may serve a message to some subscriber of a product in a locale, in their
    /// order. Conditions count as true unless the product alone makes them false.
    ///
    /// - Returns: for each locale, the names of the rules.
    package func rules(for product: String, in locales: [String]) -> [[String]] {
        guard !model.killSwitch else { return locales.map { _ in [] } }
        var candidates: [(name: String, messages: [Int])] = []
        for rule in model.rules where rule.isEnabled && mayMatch(rule, product) {
            candidates.append((rule.id, rule.choice.outcomes.compactMap(\.message)))
        }
        if let message = model.defaultOutcome?.message { candidates.append((Self.defaultName, [message])) }
        return locales.map { locale in
            candidates.filter { candidate in candidate.messages.contains { isServed($0, in: locale) } }.map(
                \.name
            )
        }
    }

    private func mayMatch(_ rule: RulesModel.Rule, _ product: String) -> Bool {
        guard let condition = rule.condition else { return true }
        return evaluations.mayBe(product, condition, valueCount: condition.valueCount) ?? true
    }

    private func isServed(_ message: Int, in locale: String) -> Bool {
        let fails = model.messages[message].failsWhenUnapproved
        var next: String? = locale
        // The loop ends, because the compiler and the loader have refused circles.
        while let current = next {
            if served[message].contains(current) { return true }
            if fails, named[message].contains(current) { return false }
            next = steps[current]
        }
        return model.lastLocale.map { served[message].contains($0) } ?? false
    }
}
