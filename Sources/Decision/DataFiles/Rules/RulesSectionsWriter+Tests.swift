internal import DataFiles

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
            let record = TestRecord {
                $0.name = pool[test.name]
                $0.productId = pool[test.productId]
                $0.userLocale = pool[test.userLocale]
                $0.originalTransactionId = pool[test.originalTransactionId]
                $0.nowMilliseconds = test.nowMilliseconds
                $0.factsAgeSeconds = test.factsAgeSeconds ?? .min
                $0.flags = flags
                $0.rule = rule
                $0.arm = pool[expected.arm]
                $0.message =
                    expected.message.flatMap { UInt32(exactly: $0) }.map(EntryReference.init) ?? .none
                $0.reason = pool[expected.reason]
                $0.firstFact = taken
                $0.factCount = UInt32(facts.count)
            }
            append(record, to: .tests)
            for fact in facts { append(Self.record(of: fact, pool), to: .testFacts) }
            taken += record.factCount
        }
    }

    private static func record(of fact: RulesModel.TestFact, _ pool: StringPool) -> TestFactRecord {
        var string = EntryReference.none
        if case .string(let text) = fact.value { string = pool[text] }
        return TestFactRecord {
            $0.fact = fact.fact.number
            $0.valueKind = fact.value.kind.rawValue
            $0.string = string
            $0.number = fact.value.number
        }
    }
}
