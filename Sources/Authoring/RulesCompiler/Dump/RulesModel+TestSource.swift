internal import DataFiles
internal import JSON

extension RulesModel {
    /// Returns the members of an embedded test in the form of a rules source.
    func source(of test: EmbeddedTest) -> [(String, JSONNode)] {
        var given: [(String, JSONNode)] = [
            ("productId", .string(test.productId)), ("userLocale", .string(test.userLocale)),
            ("originalTransactionId", .string(test.originalTransactionId)),
            ("now", FactValue.date(test.nowMilliseconds).source),
        ]
        if let facts = test.facts {
            given.append(("facts", .object(facts.map { (name(of: $0.fact), $0.value.source) })))
        }
        if let age = test.factsAgeSeconds { given.append(("factsAgeSeconds", .integer(age))) }
        return [
            ("name", .string(test.name)), ("given", .object(given)),
            ("expect", .object(source(of: test.expectation))),
        ]
    }

    private func source(of expectation: Expectation) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = []
        switch expectation.rule {
        case .rule(let place)?:
            members.append(("rule", .string(rules.indices.contains(place) ? rules[place].id : "\(place)")))
        case .default?: members.append(("default", .boolean(true)))
        case RuleExpectation.none?: members.append(("rule", .null))
        case nil: break
        }
        if let arm = expectation.arm { members.append(("arm", .string(arm))) }
        if let message = expectation.message { members.append(("message", messageName(message))) }
        if expectation.servesNothing { members.append(("serve", .string("none"))) }
        if let reason = expectation.reason { members.append(("reason", .string(reason))) }
        return members
    }
}
