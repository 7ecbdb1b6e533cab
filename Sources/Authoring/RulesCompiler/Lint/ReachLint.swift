internal import DataFiles
internal import JSON
internal import Vocabulary

/// Looks for rules that never serve because an earlier one always does, and for windows that overlap.
struct ReachLint {
    let model: RulesModel
    let findings: LintFindings
    private let cover: LocaleCover
    private let everywhere: Set<Int>

    init(model: RulesModel, findings: LintFindings) {
        self.model = model
        self.findings = findings
        cover = LocaleCover(model)
        everywhere = Set(cover.locales.indices)
    }

    /// A rule, or the default, as this looks at it.
    private struct Candidate {
        let index: Int
        let formula: Formula?
        let products: ProductSet
        let from: Int64
        let to: Int64
        /// The locales in which it serves whenever it matches; empty when something else can keep it from that.
        let certain: Set<Int>
        /// The locales in which it can serve.
        let possible: Set<Int>
    }

    func check(steps: Int = Reasoning.usualSteps) {
        var reasoning = Reasoning(segments: model.segments, steps: steps)
        var hasEnded = false
        var earlier = Earlier()
        let segments = ProductSet.sets(of: model.segments)
        for (index, rule) in model.rules.enumerated() where rule.isEnabled {
            let candidate = Candidate(
                index: index,
                formula: rule.condition.map { Formula($0) },
                products: ProductSet(rule.condition, segments),
                from: rule.windowFrom ?? .min,
                to: rule.windowTo ?? .max,
                certain: certain(of: rule),
                possible: possible(of: rule.choice.outcomes)
            )
            if let formula = candidate.formula, reasoning.isNeverTrue(formula) {
                findings.add(
                    .unreachableRule,
                    "the condition of \"\(rule.id)\" is never true",
                    at: path(index)
                )
                continue
            }
            compare(candidate, rule, earlier.candidates(for: candidate.products), &reasoning)
            earlier.add(candidate)
            if reasoning.isExhausted, !hasEnded {
                hasEnded = true
                let text = "from here on no conditions are compared: there are too many"
                findings.add(.searchEnded, text, at: path(index), hint: "unreachable rules may be missing")
            }
        }
        checkDefault(earlier.candidates(for: .any))
    }

    private func compare(
        _ later: Candidate,
        _ rule: RulesModel.Rule,
        _ candidates: [Candidate],
        _ reasoning: inout Reasoning
    ) {
        for first in candidates {
            guard reasoning.step() else { return }
            let isInside = first.from <= later.from && later.to <= first.to
            let covers = isInside && later.possible.isSubset(of: first.certain)
            let overlaps =
                rule.windowIsBounded && model.rules[first.index].windowIsBounded && first.from < later.to
                && later.from < first.to && model.rules[first.index].rollout == nil
            guard covers || overlaps, first.products.contains(later.products),
                Self.follows(first.formula, from: later.formula, &reasoning)
            else { continue }
            let name = model.rules[first.index].id
            guard !covers else {
                let text = "\"\(name)\" comes before \"\(rule.id)\" and serves whenever it matches"
                findings.add(.unreachableRule, text, at: path(later.index))
                return
            }
            let end = CivilTime(milliseconds: min(first.to, later.to))
            findings.add(
                .overlappingWindows,
                "\"\(name)\" comes first for the same subscribers until \(end)",
                at: [.member("rules"), .index(later.index), .member("window")]
            )
            return
        }
    }

    private static func follows(
        _ conclusion: Formula?,
        from premise: Formula?,
        _ reasoning: inout Reasoning
    ) -> Bool {
        guard let conclusion else { return true }
        guard let premise else { return false }
        return reasoning.follows(conclusion, from: premise)
    }

    private func checkDefault(_ candidates: [Candidate]) {
        guard let outcome = model.defaultOutcome else { return }
        let possible = possible(of: [outcome])
        let first = candidates.first {
            $0.formula == nil && $0.from == .min && $0.to == .max && possible.isSubset(of: $0.certain)
        }
        guard let first else { return }
        let text = "the rule \"\(model.rules[first.index].id)\" serves everyone"
        findings.add(.unreachableDefault, text, at: [.member("default")], isKey: true)
    }

    /// The locales in which a rule that matches serves, whatever else.
    private func certain(of rule: RulesModel.Rule) -> Set<Int> {
        guard rule.rollout == nil else { return [] }
        if case .variants(let variants) = rule.choice, variants.unit.builtInKind != .string { return [] }
        return rule.choice.outcomes.reduce(everywhere) { locales, outcome in
            switch outcome {
            case .nothing: locales
            case .message(let index), .switch(let index, _, _):
                locales.intersection(cover.places(of: model.messages[index], masked: false))
            // A cap or the signing can fail.
            case .offer, .advancedCommerce: []
            }
        }
    }

    private func possible(of outcomes: [RulesModel.Outcome]) -> Set<Int> {
        outcomes.reduce(into: []) { locales, outcome in
            guard let index = outcome.message else {
                locales = everywhere
                return
            }
            locales.formUnion(cover.places(of: model.messages[index], masked: true))
        }
    }

    private func path(_ index: Int) -> JSONPath { [.member("rules"), .index(index), .member("id")] }

    /// Rules by the products they may match, so that a rule is compared only with those that can matter.
    private struct Earlier {
        private var forAll: [Candidate] = []
        private var byProduct: [ExactText: [Candidate]] = [:]

        mutating func add(_ candidate: Candidate) {
            switch candidate.products {
            case .any: forAll.append(candidate)
            case .some(let products):
                for product in products { byProduct[product, default: []].append(candidate) }
            }
        }

        /// What may match whenever a rule with these products does, in the order of the rules.
        func candidates(for products: ProductSet) -> [Candidate] {
            guard case .some(let names) = products, let name = names.min(), let own = byProduct[name] else {
                return forAll
            }
            return (forAll + own).sorted { $0.index < $1.index }
        }
    }
}

extension RulesModel.Rule {
    /// Whether it has a window with both ends.
    fileprivate var windowIsBounded: Bool { windowFrom != nil && windowTo != nil }
}
