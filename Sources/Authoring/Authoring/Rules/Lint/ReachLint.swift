internal import Facts
internal import JSON
internal import Rules
internal import System

/// Finds rules that never serve because an earlier rule always serves first, and rules whose windows overlap.
struct ReachLint {
    let model: RulesModel
    let findings: Findings
    private let cover: LocaleCover
    private let everywhere: Set<Int>

    init(model: RulesModel, findings: Findings) {
        self.model = model
        self.findings = findings
        cover = LocaleCover(model)
        everywhere = Set(cover.locales.indices)
    }

    /// A rule, with the properties that these checks compare.
    private struct Candidate {
        let index: Int
        let formula: Formula?
        let products: ProductSet
        let from: Int64
        let to: Int64
        /// The locales in which the rule serves whenever it matches. Empty when something else can prevent that.
        let certain: Set<Int>
        /// The locales in which the rule can serve.
        let possible: Set<Int>

        var hasWindow: Bool { from > .min || to < .max }

        /// Returns true when the two windows overlap and neither lies inside the other.
        func crosses(_ other: Candidate) -> Bool {
            guard from < other.to, other.from < to else { return false }
            return (from < other.from && to < other.to) || (other.from < from && other.to < to)
        }
    }

    func check(steps: Int = Reasoning.usualSteps) {
        let environment = model.environment.rawValue
        var reasoning = Reasoning(segments: model.segments, environment: environment, steps: steps)
        var hasEnded = false
        // The search for overlaps has a budget of its own, so that it takes no steps from the search for unreachable rules.
        var windows = reasoning
        var earlier = Earlier()
        let segments = SegmentProducts(model.segments)
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
                    .unreachableRule, "the condition of \"\(rule.id)\" is never true", at: path(index))
                continue
            }
            let before = earlier.candidates(for: candidate.products, &reasoning)
            if !compare(candidate, rule, before, &reasoning) {
                checkWindow(of: candidate, earlier, &windows)
            }
            earlier.add(candidate)
            if reasoning.isExhausted || windows.isExhausted, !hasEnded {
                hasEnded = true
                let text = "from here on no conditions are compared: there are too many"
                findings.add(.searchEnded, text, at: path(index), hint: "findings may be missing")
            }
        }
        checkDefault(earlier.forAll)
    }

    /// Compares a rule with the earlier ones. Returns true when it made a finding.
    private func compare(
        _ later: Candidate, _ rule: RulesModel.Rule, _ candidates: [Candidate], _ reasoning: inout Reasoning
    ) -> Bool {
        for first in candidates {
            guard reasoning.step() else { return false }
            let isInside = first.from <= later.from && later.to <= first.to
            let covers = isInside && later.possible.isSubset(of: first.certain)
            let bounded = rule.windowIsBounded && model.rules[first.index].windowIsBounded
            let overlaps =
                (bounded && first.from < later.to && later.from < first.to || first.crosses(later))
                && model.rules[first.index].rollout == nil
            guard covers || overlaps, first.products.contains(later.products),
                Self.follows(first.formula, from: later.formula, &reasoning)
            else { continue }
            let name = model.rules[first.index].id
            guard !covers else {
                let text = "\"\(name)\" comes before \"\(rule.id)\" and serves whenever it matches"
                findings.add(.unreachableRule, text, at: path(later.index))
                return true
            }
            reportOverlap(of: first, later, "the same subscribers")
            return true
        }
        return false
    }

    /// Reports an earlier rule for some of the same subscribers whose window crosses the later rule's window. Only
    /// rules that name products are compared. A window inside another one is not a finding: it is an intended exception.
    private func checkWindow(of later: Candidate, _ earlier: Earlier, _ reasoning: inout Reasoning) {
        guard later.hasWindow, case .some(let names) = later.products else { return }
        for name in names.sorted() {
            for first in earlier.withWindow[name] ?? [] {
                guard reasoning.step() else { return }
                guard first.crosses(later), model.rules[first.index].rollout == nil else { continue }
                let both = Formula.all([first.formula, later.formula].compactMap { $0 })
                guard !reasoning.isNeverTrue(both), !reasoning.isExhausted else { continue }
                return reportOverlap(of: first, later, "some of the same subscribers")
            }
        }
    }

    private func reportOverlap(of first: Candidate, _ later: Candidate, _ whom: String) {
        let end = CivilTime(milliseconds: min(first.to, later.to))
        findings.add(
            .overlappingWindows, "\"\(model.rules[first.index].id)\" comes first for \(whom) until \(end)",
            at: [.member("rules"), .index(later.index), .member("window")])
    }

    private static func follows(_ conclusion: Formula?, from premise: Formula?, _ reasoning: inout Reasoning)
        -> Bool
    {
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

    /// Returns the locales in which a rule certainly serves when it matches.
    private func certain(of rule: RulesModel.Rule) -> Set<Int> {
        // Only the built-in string facts are certain to be in every request.
        if let rollout = rule.rollout {
            guard rollout.basisPoints == 10_000, rollout.unit.builtInKind == .string else { return [] }
        }
        if case .variants(let variants) = rule.choice, variants.unit.builtInKind != .string { return [] }
        return rule.choice.outcomes.reduce(everywhere) { locales, outcome in
            switch outcome {
            case .nothing: locales
            case .message(let index), .switch(let index, _, _):
                locales.intersection(cover.places(of: model.messages[index], masked: false))
            // A cap can refuse an offer, and signing can fail.
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

    /// The earlier rules by the products that they may match, so that a rule is compared only with relevant ones.
    private struct Earlier {
        private(set) var forAll: [Candidate] = []
        private var byProduct: [ByteComparedString: [Candidate]] = [:]
        /// The rules of ``byProduct`` that have a window.
        private(set) var withWindow: [ByteComparedString: [Candidate]] = [:]

        mutating func add(_ candidate: Candidate) {
            switch candidate.products {
            case .any: forAll.append(candidate)
            case .some(let products) where products.count > Self.namedCount: forAll.append(candidate)
            case .some(let products):
                for product in products {
                    byProduct[product, default: []].append(candidate)
                    if candidate.hasWindow { withWindow[product, default: []].append(candidate) }
                }
            }
        }

        /// A rule with more products than this is compared with all rules. Otherwise it would be entered under each product.
        private static let namedCount = 64

        /// Returns the rules that may match whenever a rule with these products matches, in the order of the rules.
        func candidates(for products: ProductSet, _ reasoning: inout Reasoning) -> [Candidate] {
            guard case .some(let names) = products, names.count <= Self.namedCount,
                let name = names.min(),
                let own = byProduct[name]
            else { return forAll }
            guard reasoning.step(forAll.count + own.count) else { return own }
            return (forAll + own).sorted { $0.index < $1.index }
        }
    }
}

extension RulesModel.Rule {
    /// True when the rule has a window with a beginning and an end.
    fileprivate var windowIsBounded: Bool { windowFrom != nil && windowTo != nil }
}
