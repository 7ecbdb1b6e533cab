internal import System

extension ModelReader {
    func rule(at index: Int, _ bytes: RawSpan) -> RulesModel.Rule? {
        guard let record = tables.rules.record(at: index, in: bytes),
            let id = string(record.identifier, bytes)
        else { return nil }
        let steps = tables.ruleSteps.record(at: index, in: bytes)
        guard let choice = choice(of: record, steps, bytes) else { return nil }
        var rule = RulesModel.Rule(id: id, choice: choice)
        rule.isEnabled = record.flags & RuleFlags.enabled != 0
        rule.windowFrom = record.windowFrom == .min ? nil : record.windowFrom
        rule.windowTo = record.windowTo == .max ? nil : record.windowTo
        rule.condition = Condition(reading: record.condition, depth: 0, tables, bytes)
        rule.rollout = steps.flatMap { split($0.rollout, bytes) }
        return rule
    }

    private func choice(of rule: RuleRecord, _ steps: RuleStepsRecord?, _ bytes: RawSpan) -> RulesModel
        .Choice?
    {
        guard let steps, !steps.variants.isNone else {
            return outcome(rule.outcome, bytes).map { .outcome($0) }
        }
        guard let split = split(steps.variants, bytes) else { return nil }
        var arms: [RulesModel.Arm] = []
        var begin: UInt32 = 0
        for position in 0..<min(Int(steps.armCount), tables.arms.count) {
            guard let record = tables.arms.record(at: steps.firstArm.index + position, in: bytes),
                let name = string(record.name, bytes), let outcome = outcome(record.outcome, bytes)
            else { return nil }
            arms.append(RulesModel.Arm(name: name, weight: Int(record.end) - Int(begin), outcome: outcome))
            begin = record.end
        }
        return .variants(RulesModel.Variants(salt: split.salt, unit: split.unit, arms: arms))
    }

    func test(at index: Int, _ bytes: RawSpan) -> RulesModel.EmbeddedTest? {
        guard let record = tables.tests.record(at: index, in: bytes), let name = string(record.name, bytes),
            let productId = string(record.productId, bytes),
            let userLocale = string(record.userLocale, bytes),
            let transaction = string(record.originalTransactionId, bytes)
        else { return nil }
        var expectation = RulesModel.Expectation(
            arm: string(record.arm, bytes), message: record.message.isNone ? nil : record.message.index,
            reason: string(record.reason, bytes), servesNothing: record.flags & TestFlags.servesNothing != 0)
        if !record.rule.isNone { expectation.rule = .rule(record.rule.index) }
        if record.flags & TestFlags.expectsDefault != 0 { expectation.rule = .default }
        if record.flags & TestFlags.expectsNone != 0 { expectation.rule = RulesModel.RuleExpectation.none }
        let hasRecord = record.flags & TestFlags.hasRecord != 0
        return RulesModel.EmbeddedTest(
            name: name, productId: productId, userLocale: userLocale, originalTransactionId: transaction,
            nowMilliseconds: record.nowMilliseconds, facts: hasRecord ? facts(of: record, bytes) : nil,
            factsAgeSeconds: record.factsAgeSeconds == .min ? nil : record.factsAgeSeconds,
            expectation: expectation)
    }

    private func facts(of test: TestRecord, _ bytes: RawSpan) -> [RulesModel.TestFact] {
        (0..<min(Int(test.factCount), tables.testFacts.count)).compactMap { position in
            guard let record = tables.testFacts.record(at: Int(test.firstFact) + position, in: bytes),
                let fact = Fact(number: record.fact), let kind = ValueKind(rawValue: record.valueKind),
                let value = FactValue(kind, record.number, string: string(record.string, bytes))
            else { return nil }
            return RulesModel.TestFact(fact: fact, value: value)
        }
    }
}

extension FactValue {
    /// Makes the value that a number or a string of a file stands for; nil for a string that is missing.
    init?(_ kind: ValueKind, _ number: Int64, string: String?) {
        switch kind {
        case .string:
            guard let string else { return nil }
            self = .string(string)
        case .date: self = .date(number)
        case .integer: self = .integer(number)
        case .boolean: self = .boolean(number != 0)
        }
    }
}
