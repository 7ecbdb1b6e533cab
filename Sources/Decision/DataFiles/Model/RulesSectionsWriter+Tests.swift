extension RulesSectionsWriter {
    /// Writes the embedded tests and the facts of their subscribers.
    mutating func writeTests() {
        var taken: UInt32 = 0
        for test in model.tests {
            let expected = test.expectation
            var flags: UInt32 = test.facts == nil ? 0 : TestFlags.hasRecord
            if expected.servesNothing { flags |= TestFlags.servesNothing }
            var rule = EntryReference.none
            switch expected.rule {
            case .rule(let index): rule = UInt32(exactly: index).map(EntryReference.init) ?? .none
            case .default: flags |= TestFlags.expectsDefault
            case RulesModel.RuleExpectation.none?: flags |= TestFlags.expectsNone
            case nil: break
            }
            let facts = test.facts ?? []
            let record = TestRecord(
                name: pool[test.name],
                productId: pool[test.productId],
                userLocale: pool[test.userLocale],
                originalTransactionId: pool[test.originalTransactionId],
                nowMilliseconds: test.nowMilliseconds,
                factsAgeSeconds: test.factsAgeSeconds ?? .min,
                flags: flags,
                rule: rule,
                arm: pool[expected.arm],
                message: expected.message.flatMap { UInt32(exactly: $0) }.map(EntryReference.init) ?? .none,
                reason: pool[expected.reason],
                firstFact: taken,
                factCount: UInt32(facts.count)
            )
            append(record, to: .tests)
            for fact in facts { append(Self.record(of: fact, pool), to: .testFacts) }
            taken += record.factCount
        }
    }

    private static func record(of fact: RulesModel.TestFact, _ pool: StringPool) -> TestFactRecord {
        var string = EntryReference.none
        if case .string(let text) = fact.value { string = pool[text] }
        return TestFactRecord(
            fact: fact.fact.number,
            valueKind: fact.value.kind.rawValue,
            string: string,
            number: fact.value.number
        )
    }
}
