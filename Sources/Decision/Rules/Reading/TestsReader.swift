internal import Facts
internal import JSON
internal import System

/// Reads `tests`: requests with the expected decisions.
struct TestsReader {
    let facts: FactTable
    let outcomes: OutcomeReader
    let rules: [RulesModel.Rule]
    /// The ids of all rules, including those with errors.
    let ruleIDs: Set<String>

    func read(_ value: SourceValue) -> [RulesModel.EmbeddedTest] {
        guard let elements = value.elements(limit: RulesSourceLimits.testCount) else { return [] }
        let places = Dictionary(rules.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var names: Set<ByteComparedString> = []
        return elements.compactMap { test($0, &names, places) }
    }

    private func test(_ value: SourceValue, _ names: inout Set<ByteComparedString>, _ places: [String: Int])
        -> RulesModel.EmbeddedTest?
    {
        guard value.isObject else { return nil }
        value.checkKeys(.test)
        let name = value.required("name")?.string(limitBytes: RulesSourceLimits.stringByteCount)
        if let name, !names.insert(ByteComparedString(name)).inserted {
            value.member("name")?.report(.duplicate, "the test \"\(name)\" stands twice")
        }
        let expectation = value.required("expect").flatMap { self.expectation($0, places) }
        guard let given = value.required("given"), given.isObject else { return nil }
        given.checkKeys(.given)
        let limit = RulesSourceLimits.stringByteCount
        let product = given.required("productId")?.string(limitBytes: limit)
        let locale = given.required("userLocale").flatMap { value in
            value.string.flatMap { value.checkLocale($0) ? $0 : nil }
        }
        let transaction = given.required("originalTransactionId")?.string(limitBytes: limit)
        let now = given.required("now")?.date
        let facts = given.member("facts").map(values)
        let age = given.member("factsAgeSeconds").map { $0.integer(in: 0...Int64.max, "an age") }
        guard let name, let product, let locale, let transaction, let now, let expectation else { return nil }
        return RulesModel.EmbeddedTest(
            name: name, productId: product, userLocale: locale, originalTransactionId: transaction,
            nowMilliseconds: now, facts: facts, factsAgeSeconds: age ?? nil, expectation: expectation)
    }

    /// Reads the facts of the test's subscriber, in the order of their declarations.
    private func values(_ value: SourceValue) -> [RulesModel.TestFact] {
        let members = value.members(limit: DataFileLimits.factCount) ?? []
        let found = members.compactMap { name, value -> RulesModel.TestFact? in
            guard let entry = facts[name], case .declared = entry.fact else {
                let declared = facts.declarations.map(\.name)
                let hint = Hint.near(name, among: declared) ?? "facts are declared in \"facts\""
                value.reportKey(.unknownName, "no fact \"\(name)\" is declared", hint: hint)
                return nil
            }
            return FactValueReader(entry: entry).value(value).map {
                RulesModel.TestFact(fact: entry.fact, value: $0)
            }
        }
        return found.sorted { $0.fact.number < $1.fact.number }
    }

    private func expectation(_ value: SourceValue, _ places: [String: Int]) -> RulesModel.Expectation? {
        guard value.isObject else { return nil }
        value.checkKeys(.expect)
        guard value.value.count > 0 else {
            value.report(
                .missingKey, "a test expects something", hint: Hint.choice("", among: Keys.expect.names))
            return nil
        }
        var expectation = RulesModel.Expectation()
        if let rule = value.member("rule") { expectation.rule = self.rule(rule, places) }
        if let flag = value.member("default"), let isDefault = flag.boolean {
            if isDefault, value.member("rule") == nil {
                expectation.rule = .default
            } else {
                let hint = "\"default\": true"
                flag.reportKey(.badValue, "the default is expected or a rule", hint: hint)
            }
        }
        if let arm = value.member("arm") {
            let isNamed = value.member("rule")?.value.kind == .string
            expectation.arm = self.arm(arm, of: expectation.rule, isNamed: isNamed)
        }
        expectation.message = value.member("message").flatMap(outcomes.message)
        if let serve = value.member("serve"), let word = serve.string {
            expectation.servesNothing = word == "none" && value.member("message") == nil
            if !expectation.servesNothing {
                serve.report(.badValue, "a message is expected or nothing", hint: "\"serve\": \"none\"")
            }
        }
        let reason = value.member("reason")?.choice(
            of: DecisionReason.expectable, named: \.rawValue, RulesReason.badValue
        ) { word in
            let exists = DecisionReason(rawValue: word) != nil
            return exists ? "no test has the reason \"\(word)\"" : "there is no reason \"\(word)\""
        }
        expectation.reason = reason?.rawValue
        return expectation
    }

    /// Reads the rule that is expected to serve; null means that no rule is expected.
    private func rule(_ value: SourceValue, _ places: [String: Int]) -> RulesModel.RuleExpectation? {
        if value.value.kind == .null { return RulesModel.RuleExpectation.none }
        guard let id = value.string else { return nil }
        guard ruleIDs.contains(id) else {
            value.report(
                .unknownName,
                "there is no rule \"\(id)\"",
                hint: Hint.near(id, among: rules.map(\.id))
                    ?? "null means that no rule serves; \"default\": true means the default"
            )
            return nil
        }
        return places[id].map { .rule($0) }
    }

    /// Reads the expected arm of a rule. `isNamed` says whether the test names a rule, even one with an error.
    private func arm(_ value: SourceValue, of rule: RulesModel.RuleExpectation?, isNamed: Bool) -> String? {
        guard let name = value.string else { return nil }
        guard case .rule(let place)? = rule else {
            if !isNamed {
                value.reportKey(.badValue, "an arm of which rule?", hint: "name it in \"rule\"")
            }
            return nil
        }
        var names: [String] = []
        if case .variants(let variants) = rules[place].choice { names = variants.arms.map(\.name) }
        guard names.contains(name) else {
            let hint = names.isEmpty ? "the rule has no variants" : Hint.choice(name, among: names)
            value.report(.unknownName, "there is no arm \"\(name)\"", hint: hint)
            return nil
        }
        return name
    }
}
