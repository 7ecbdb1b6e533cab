internal import Facts
internal import JSON
internal import Rules
internal import System

/// What it finds is right; it does not find everything.
struct ReachLint {
    let model: RulesModel
    let findings: Findings

    private struct Candidate {
        let id: String
        let demands: Demands
        let from: Int64
        let to: Int64
        /// The locales in which the rule serves whenever it matches. Empty when something else can prevent that.
        let certain: Set<Int>
        let possible: Set<Int>
        let isDrawn: Bool

        func alwaysServes(before later: Candidate) -> Bool {
            from <= later.from && later.to <= to && later.possible.isSubset(of: certain)
                && demands.followsFrom(later.demands)
        }

        /// True when the windows overlap and neither lies inside the other, which is an intended exception.
        func crosses(_ later: Candidate) -> Bool {
            guard !isDrawn, from < later.to, later.from < to else { return false }
            return ((from < later.from && to < later.to) || (later.from < from && later.to < to))
                && demands.followsFrom(later.demands)
        }
    }

    func check() {
        let cover = LocaleCover(model)
        var segments: [Demands] = []
        for segment in model.segments { segments.append(Demands(segment.condition, segments)) }
        var general: [Candidate] = []
        var byProduct: [FactValue: [Candidate]] = [:]
        for (index, rule) in model.rules.enumerated() where rule.isEnabled {
            let path: JSONPath = [.member("rules"), .index(index)]
            guard rule.rollout?.basisPoints != 0 else {
                let place = path + [.member("rollout"), .member("basisPoints")]
                findings.add(.unreachableRule, "the rollout of \"\(rule.id)\" reaches nobody", at: place)
                continue
            }
            var demands = Demands(rule.condition, segments)
            demands.narrow(.environment, to: [.string(model.environment.rawValue)])
            guard !demands.areImpossible else {
                let text = "the condition of \"\(rule.id)\" is never true"
                findings.add(.unreachableRule, text, at: path + [.member("id")])
                continue
            }
            let later = Candidate(
                id: rule.id, demands: demands, from: rule.windowFrom ?? .min, to: rule.windowTo ?? .max,
                certain: certain(rule, cover), possible: possible(rule, cover), isDrawn: rule.rollout != nil)
            let products = demands.values[.productId]
            let near = general + (products?.first.flatMap { byProduct[$0] } ?? [])
            if let first = near.first(where: { $0.alwaysServes(before: later) }) {
                let text = "\"\(first.id)\" comes before \"\(rule.id)\" and serves whenever it matches"
                findings.add(.unreachableRule, text, at: path + [.member("id")])
                continue
            }
            if let first = near.first(where: { $0.crosses(later) }) {
                let end = CivilTime(milliseconds: min(first.to, later.to))
                findings.add(
                    .overlappingWindows, "\"\(first.id)\" comes first for the same subscribers until \(end)",
                    at: path + [.member("window")])
            }
            // A rule with few products is compared only with rules for one of these.
            if let products, products.count <= 64 {
                for product in products { byProduct[product, default: []].append(later) }
            } else {
                general.append(later)
            }
        }
    }

    private func certain(_ rule: RulesModel.Rule, _ cover: LocaleCover) -> Set<Int> {
        // Only the built-in string facts are certain to be in every request.
        if let rollout = rule.rollout {
            guard rollout.basisPoints == 10_000, rollout.unit.builtInKind == .string else { return [] }
        }
        if case .variants(let variants) = rule.choice, variants.unit.builtInKind != .string { return [] }
        return rule.choice.outcomes.reduce(Set(cover.locales.indices)) { locales, outcome in
            switch outcome {
            case .nothing: locales
            case .message(let index), .switch(let index, _, _):
                locales.intersection(cover.places(of: model.messages[index], masked: false))
            // A cap can refuse an offer, and signing can fail.
            case .offer, .advancedCommerce: []
            }
        }
    }

    private func possible(_ rule: RulesModel.Rule, _ cover: LocaleCover) -> Set<Int> {
        rule.choice.outcomes.reduce(into: []) { locales, outcome in
            let places = outcome.message.map { cover.places(of: model.messages[$0], masked: true) }
            locales.formUnion(places ?? Set(cover.locales.indices))
        }
    }
}

/// What a condition demands of a request: of some facts the values that they may have, and other conditions as they are.
struct Demands {
    private(set) var values: [Fact: Set<FactValue>] = [:]
    private var ranges: [Fact: (low: Int64, high: Int64)] = [:]
    private var others: Set<Condition> = []

    /// Collects what must be true. `segments` are those of the earlier segments.
    init(_ condition: Condition?, _ segments: [Demands]) {
        switch condition {
        case nil: break
        case .all(let children):
            for child in children { add(Demands(child, segments)) }
        case .segment(let place): self = segments[place]
        case .predicate(let predicate):
            switch (predicate.operation, predicate.operands.first?.rank, predicate.operands.last?.rank) {
            case (.equal, _, _), (.isIn, _, _): values[predicate.fact] = Set(predicate.operands)
            case (.greater, let number?, _) where number < .max: ranges[predicate.fact] = (number + 1, .max)
            case (.greaterOrEqual, let number?, _): ranges[predicate.fact] = (number, .max)
            case (.less, let number?, _) where number > .min: ranges[predicate.fact] = (.min, number - 1)
            case (.lessOrEqual, let number?, _): ranges[predicate.fact] = (.min, number)
            case (.between, let low?, let high?): ranges[predicate.fact] = (low, high)
            default: others = [.predicate(predicate)]
            }
        case .some(let other): others = [other]
        }
    }

    private mutating func add(_ more: Demands) {
        for (fact, list) in more.values { narrow(fact, to: list) }
        for (fact, range) in more.ranges {
            let own = ranges[fact] ?? range
            ranges[fact] = (max(own.low, range.low), min(own.high, range.high))
        }
        others.formUnion(more.others)
    }

    mutating func narrow(_ fact: Fact, to list: Set<FactValue>) {
        values[fact] = values[fact]?.intersection(list) ?? list
    }

    var areImpossible: Bool {
        values.contains { fact, list in
            list.isEmpty || ranges[fact].map { range in !list.contains { Self.lies($0, in: range) } } ?? false
        } || ranges.values.contains { $0.low > $0.high }
    }

    /// Returns true when these demands are met wherever the others are.
    func followsFrom(_ premise: Demands) -> Bool {
        values.allSatisfy { fact, list in premise.values[fact]?.isSubset(of: list) ?? false }
            && ranges.allSatisfy { fact, range in
                if let list = premise.values[fact] { return list.allSatisfy { Self.lies($0, in: range) } }
                return premise.ranges[fact].map { range.low <= $0.low && $0.high <= range.high } ?? false
            } && others.isSubset(of: premise.others)
    }

    private static func lies(_ value: FactValue, in range: (low: Int64, high: Int64)) -> Bool {
        value.rank.map { range.low <= $0 && $0 <= range.high } ?? false
    }
}
