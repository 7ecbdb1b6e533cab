internal import Facts
internal import JSON
internal import Rules
internal import System

/// Finds declarations that are not used, products that are not declared, and rules that no test expects.
struct UseLint {
    let model: RulesModel
    let findings: Findings

    func check() {
        let segments = usedSegments()
        reportMessages()
        for (index, segment) in model.segments.enumerated() where !segments.contains(index) {
            let path: JSONPath = [.member("segments"), .member(segment.name)]
            findings.add(.unusedSegment, "no rule uses \"\(segment.name)\"", at: path, isKey: true)
        }
        reportFacts()
        reportProducts()
        reportTests()
    }

    private func reportMessages() {
        let served = Set(model.placedOutcomes.compactMap(\.outcome.message))
        for (index, message) in model.messages.enumerated() where !served.contains(index) {
            let path: JSONPath = [.member("messages"), .member(message.name)]
            findings.add(.unusedMessage, "nothing serves \"\(message.name)\"", at: path, isKey: true)
        }
    }

    /// Returns the segments that some rule refers to, directly or through other segments.
    private func usedSegments() -> Set<Int> {
        var used: Set<Int> = []
        func use(_ condition: Condition) {
            condition.forEachLeaf([]) { leaf, _ in
                if case .segment(let place) = leaf { used.insert(place) }
            }
        }
        for rule in model.rules { rule.condition.map(use) }
        // A segment refers only to earlier ones. So one pass from the last to the first is enough.
        for (index, segment) in model.segments.enumerated().reversed() where used.contains(index) {
            use(segment.condition)
        }
        return used
    }

    private func reportFacts() {
        var used: Set<Fact> = []
        for (condition, _) in model.placedConditions {
            condition.forEachLeaf([]) { leaf, _ in
                if case .predicate(let predicate) = leaf { used.insert(predicate.fact) }
            }
        }
        for rule in model.rules {
            rule.rollout.map { _ = used.insert($0.unit) }
            if case .variants(let variants) = rule.choice { used.insert(variants.unit) }
        }
        let others = [model.holdout?.split.unit, model.caps?.acceptedFact, model.caps?.lastFact]
        used.formUnion(others.compactMap { $0 })
        for (index, fact) in model.facts.enumerated() where !used.contains(.declared(index)) {
            let path: JSONPath = [.member("facts"), .member(fact.name)]
            findings.add(.unusedFact, "nothing reads \"\(fact.name)\"", at: path, isKey: true)
        }
    }

    private func reportProducts() {
        let products = ProductTable(model.products)
        guard !products.products.isEmpty else { return }
        for (condition, path) in model.placedConditions {
            condition.forEachLeaf(path) { leaf, path in
                for (value, place) in Self.products(comparedBy: leaf) where !products.contains(value) {
                    findings.add(
                        .undeclaredProduct, "\"\(value)\" is not in \"products\"", at: path + place,
                        hint: Hint.near(value, among: products.products.map(\.name)))
                }
            }
        }
    }

    /// Returns the products that a predicate names, each with its path in the predicate.
    private static func products(comparedBy leaf: Condition) -> [(String, JSONPath)] {
        guard case .predicate(let predicate) = leaf, predicate.fact == .productId else { return [] }
        let key = JSONPathComponent.member(predicate.operation.word)
        switch predicate.operation.operand {
        case .value: return predicate.operands.compactMap { value in Self.product(value).map { ($0, [key]) } }
        case .list:
            return predicate.operands.enumerated().compactMap { index, value in
                Self.product(value).map { ($0, [key, .index(index)]) }
            }
        // These operands are not whole product identifiers.
        case .part, .range, .flag, .days, .conditions, .segment: return []
        }
    }

    private static func product(_ value: FactValue) -> String? {
        if case .string(let product) = value { product } else { nil }
    }

    private func reportTests() {
        let expected = Set(model.tests.map(\.expectation.rule))
        for (index, rule) in model.rules.enumerated() where rule.isEnabled && !expected.contains(.rule(index))
        {
            let path: JSONPath = [.member("rules"), .index(index), .member("id")]
            findings.add(.untestedRule, "no test expects the rule \"\(rule.id)\"", at: path)
        }
    }
}
