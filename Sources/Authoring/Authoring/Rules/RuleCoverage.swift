package import Rules
package import System

/// Tells which rules may answer the subscribers of a product in a locale.
package struct RuleCoverage {
    package static let defaultName = "default"

    private let model: RulesModel
    private let cover: LocaleCover
    private let named: [Set<String>]
    private let served: [Set<String>]

    /// Masked identifiers, and messages that are not in `approved`, are not served.
    package init(_ model: RulesModel, approved: Set<UUID>) {
        self.model = model
        cover = LocaleCover(model)
        named = model.messages.map { Set($0.identifiers.map(\.locale)) }
        served = model.messages.map { message in
            Set(message.identifiers.filter { !$0.isMasked && approved.contains($0.identifier) }.map(\.locale))
        }
    }

    /// In their order, for each locale. Conditions count as true unless the product alone makes them false.
    package func rules(for product: String, in locales: [String]) -> [[String]] {
        guard !model.killSwitch else { return locales.map { _ in [] } }
        var candidates: [(name: String, messages: [Int])] = []
        let evaluation = ProductEvaluation(product, model.segments)
        for rule in model.rules where rule.isEnabled {
            if let condition = rule.condition, evaluation.value(of: condition) == false { continue }
            candidates.append((rule.id, rule.choice.outcomes.compactMap(\.message)))
        }
        if let message = model.defaultOutcome?.message { candidates.append((Self.defaultName, [message])) }
        return locales.map { locale in
            candidates.filter { candidate in candidate.messages.contains { isServed($0, in: locale) } }.map(
                \.name)
        }
    }

    private func isServed(_ message: Int, in locale: String) -> Bool {
        let fails = model.messages[message].failsWhenUnapproved
        let first = cover.locales(from: locale).first {
            served[message].contains($0) || (fails && named[message].contains($0))
        }
        return first.map(served[message].contains) ?? false
    }
}
