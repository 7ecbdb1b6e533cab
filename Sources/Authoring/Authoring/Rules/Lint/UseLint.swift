internal import Facts
internal import JSON
internal import Rules
internal import System

struct UseLint {
    let model: RulesModel
    let now: Int64
    let findings: Findings

    func check() {
        reportMessages()
        reportSegments()
        reportFacts()
        reportProducts()
        reportTests()
        reportSalts()
        reportWindows()
    }

    private func reportMessages() {
        let served = Set(model.placedOutcomes.compactMap(\.outcome.message))
        for (index, message) in model.messages.enumerated() where !served.contains(index) {
            let path: JSONPath = [.member("messages"), .member(message.name)]
            findings.add(.unusedMessage, "nothing serves \"\(message.name)\"", at: path, isKey: true)
        }
    }

    private func reportSegments() {
        var used: Set<Int> = []
        func use(_ condition: Condition) {
            condition.forEachLeaf([]) { leaf, _ in
                if case .segment(let place) = leaf { used.insert(place) }
            }
        }
        for rule in model.rules { rule.condition.map(use) }
        // A segment refers only to earlier ones. So one pass from the last to the first is enough.
        for (index, segment) in model.segments.enumerated().reversed() {
            guard !used.contains(index) else {
                use(segment.condition)
                continue
            }
            let path: JSONPath = [.member("segments"), .member(segment.name)]
            findings.add(.unusedSegment, "no rule uses \"\(segment.name)\"", at: path, isKey: true)
        }
    }

    private func reportFacts() {
        var used = Set(model.placedSplits.map(\.split.unit))
        for (condition, _) in model.placedConditions {
            condition.forEachLeaf([]) { leaf, _ in
                if case .predicate(let predicate) = leaf { used.insert(predicate.fact) }
            }
        }
        used.formUnion([model.caps?.acceptedFact, model.caps?.lastFact].compactMap { $0 })
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
                guard case .predicate(let predicate) = leaf, predicate.fact == .productId else { return }
                let isList = predicate.operation.operand == .list
                // A prefix is not a whole product.
                guard isList || predicate.operation.operand == .value else { return }
                for case (let index, .string(let value)) in predicate.operands.enumerated()
                where !products.contains(value) {
                    findings.add(
                        .undeclaredProduct, "\"\(value)\" is not in \"products\"",
                        at: path + [.member(predicate.operation.word)] + (isList ? [.index(index)] : []),
                        hint: Hint.near(value, among: products.products.map(\.name)))
                }
            }
        }
    }

    private func reportTests() {
        let expected = Set(model.tests.map(\.expectation.rule))
        for (index, rule) in model.rules.enumerated() where rule.isEnabled && !expected.contains(.rule(index))
        {
            let path: JSONPath = [.member("rules"), .index(index), .member("id")]
            findings.add(.untestedRule, "no test expects the rule \"\(rule.id)\"", at: path)
        }
    }

    private func reportSalts() {
        var first: [ByteComparedString: String] = [:]
        for (split, path) in model.placedSplits {
            guard let other = first[ByteComparedString(split.salt)] else {
                first[ByteComparedString(split.salt)] = path.text
                continue
            }
            findings.add(
                .repeatedSalt, "the salt \"\(split.salt)\" is also that of \(other)",
                at: path + [.member("salt")],
                hint: "the same subscribers are first in both; a salt of its own makes them independent")
        }
    }

    private func reportWindows() {
        for (index, rule) in model.rules.enumerated() where rule.isEnabled {
            guard let end = rule.windowTo, end <= now else { continue }
            let path: JSONPath = [.member("rules"), .index(index), .member("window"), .member("to")]
            let text = "the window of \"\(rule.id)\" is over since \(CivilTime(milliseconds: end))"
            findings.add(.expiredWindow, text, at: path)
        }
        if let end = model.holdout?.until, end <= now {
            let text = "nobody is held out since \(CivilTime(milliseconds: end))"
            findings.add(.expiredWindow, text, at: [.member("holdout"), .member("until")])
        }
    }
}
