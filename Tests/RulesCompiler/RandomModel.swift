import DataFiles
import Support
import Vocabulary

/// Random models of the form that the compiler makes, with everything that a source can contain.
enum RandomModel {
    static func make(using random: inout SeededGenerator) -> RulesModel {
        var model = RulesModel(
            appAppleId: Int64.random(in: 1...Int64.max, using: &random), bundleId: "b", environment: .sandbox)
        model.killSwitch = Bool.random(using: &random)
        model.metadata = [RulesModel.Metadatum(key: "ä \"", value: "\u{1F600}\n")]
        if Bool.random(using: &random) { model.lastLocale = "en-US" }
        model.products = [.init(name: "p0", group: "g"), .init(name: "p1"), .init(name: "p 2", group: "h")]
        model.facts = (0..<Int.random(in: 0...6, using: &random)).map { index in
            .init(name: "f\(index)", kind: ValueKind.allCases.randomElement(using: &random) ?? .string)
        }
        model.messages = MessageKind.allCases.enumerated().map { index, kind in
            let locales = ["de-DE", "en-US"].prefix(Int.random(in: 1...2, using: &random))
            let identifiers = locales.map { locale in
                RulesModel.LocalizedIdentifier(
                    locale: locale, identifier: UUID(high: random.next(), low: random.next()),
                    isMasked: Bool.random(using: &random))
            }
            var message = RulesModel.Message(name: "m\(index)", kind: kind, identifiers: identifiers)
            message.failsWhenUnapproved = Bool.random(using: &random)
            return message
        }
        for index in 0..<Int.random(in: 0...4, using: &random) {
            let condition = condition(in: model, depth: 3, using: &random)
            model.segments.append(.init(name: "s\(index)", condition: condition))
        }
        if Bool.random(using: &random) {
            model.holdout = RulesModel.Holdout(
                split: split(in: model, using: &random),
                until: optional(date(using: &random), using: &random),
                outcome: Bool.random(using: &random) ? .nothing : .message(0))
        }
        model.caps = caps(in: model, using: &random)
        model.rules = (0..<Int.random(in: 0...5, using: &random)).map { rule($0, in: model, using: &random) }
        if model.rules.isEmpty || Bool.random(using: &random) {
            model.defaultOutcome = outcome(using: &random)
        }
        model.tests = (0..<Int.random(in: 0...3, using: &random)).map { test($0, in: model, using: &random) }
        return model
    }

    private static func optional<Value>(_ value: Value, using random: inout SeededGenerator) -> Value? {
        Bool.random(using: &random) ? value : nil
    }

    private static func date(using random: inout SeededGenerator) -> Int64 {
        Int64.random(in: DataFileLimits.dateRange, using: &random)
    }

    private static func facts(_ kind: ValueKind, in model: RulesModel) -> [Fact] {
        (Fact.builtIns + model.facts.indices.map { Fact.declared($0) }).filter { model.kind(of: $0) == kind }
    }

    private static func split(in model: RulesModel, using random: inout SeededGenerator) -> RulesModel.Split {
        RulesModel.Split(
            salt: "s\(Int.random(in: 0..<10, using: &random))",
            unit: facts(.string, in: model).randomElement(using: &random) ?? .originalTransactionId,
            basisPoints: Int.random(in: 0...10_000, using: &random))
    }

    private static func caps(in model: RulesModel, using random: inout SeededGenerator) -> RulesModel
        .OfferCaps?
    {
        let counts = facts(.integer, in: model).filter { $0 != .factsAgeSeconds }
        let dates = facts(.date, in: model).filter { $0 != .now }
        var caps = RulesModel.OfferCaps(allowsUnknown: Bool.random(using: &random))
        if let count = counts.randomElement(using: &random) {
            caps.maxAccepted = optional(Int64.random(in: 1...9, using: &random), using: &random)
            if caps.maxAccepted != nil { caps.acceptedFact = count }
        }
        if let date = dates.randomElement(using: &random) {
            caps.minDaysSinceLast = optional(Int64.random(in: 1...900, using: &random), using: &random)
            if caps.minDaysSinceLast != nil { caps.lastFact = date }
        }
        return caps.maxAccepted == nil && caps.minDaysSinceLast == nil ? nil : caps
    }

    private static let request = """
        {"changeItems":[{"SKU":"s","currentSKU":"l","displayName":"ü","description":"d","price":0,\
        "effective":"IMMEDIATELY","reason":"UPGRADE"}],"requestInfo":{},"retainBillingCycle":false}
        """

    private static func outcome(using random: inout SeededGenerator) -> RulesModel.Outcome {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .nothing
        case 1: .message(0)
        case 2:
            .switch(
                message: 1, productId: "p1",
                billingPlanType: BillingPlanType.allCases.randomElement(using: &random))
        case 3: .offer(message: 2, productId: "p0", offerIdentifier: "o")
        default: .advancedCommerce(message: 3, request: request)
        }
    }

    private static func rule(_ index: Int, in model: RulesModel, using random: inout SeededGenerator)
        -> RulesModel.Rule
    {
        var rule = RulesModel.Rule(id: "r\(index)", outcome: outcome(using: &random))
        if Bool.random(using: &random) {
            let split = split(in: model, using: &random)
            let first = Int.random(in: 1..<10_000, using: &random)
            let arms = [
                RulesModel.Arm(name: "a", weight: first, outcome: outcome(using: &random)),
                RulesModel.Arm(name: "b", weight: 10_000 - first, outcome: outcome(using: &random)),
            ]
            rule.choice = .variants(.init(salt: split.salt, unit: split.unit, arms: arms))
        }
        rule.isEnabled = Bool.random(using: &random)
        let from = date(using: &random)
        rule.windowFrom = optional(from, using: &random)
        let to = date(using: &random)
        rule.windowTo = to > from ? to : nil
        rule.rollout = optional(split(in: model, using: &random), using: &random)
        if Bool.random(using: &random) {
            // Random values name no declared product: a switch to a product of another group would not compile.
            rule.condition = condition(in: model, depth: 4, using: &random)
        }
        return rule
    }

    private static func value(_ kind: ValueKind, of fact: Fact, using random: inout SeededGenerator)
        -> FactValue
    {
        switch (kind, fact) {
        case (.boolean, _): .boolean(Bool.random(using: &random))
        case (.integer, _): .integer(Int64.random(in: .min ... .max, using: &random))
        case (.date, _): .date(date(using: &random))
        case (.string, .environment): .string("Sandbox")
        case (.string, .userLocale): .string(["en-US", "es-419"].randomElement(using: &random) ?? "")
        case (.string, .language): .string("en")
        case (.string, _): .string("v\(Int.random(in: 0..<9, using: &random))\u{1F}\"ß")
        }
    }

    static func condition(in model: RulesModel, depth: Int, using random: inout SeededGenerator) -> Condition
    {
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where depth > 0:
            return .all((0..<3).map { _ in condition(in: model, depth: depth - 1, using: &random) })
        case 1 where depth > 0:
            return .any((0..<2).map { _ in condition(in: model, depth: depth - 1, using: &random) })
        case 2 where depth > 0: return .not(condition(in: model, depth: depth - 1, using: &random))
        case 3 where !model.segments.isEmpty:
            return .segment(Int.random(in: model.segments.indices, using: &random))
        default: return predicate(in: model, using: &random)
        }
    }

    private static func predicate(in model: RulesModel, using random: inout SeededGenerator) -> Condition {
        let kind = ValueKind.allCases.randomElement(using: &random) ?? .string
        guard let fact = facts(kind, in: model).randomElement(using: &random) else {
            return .exists(.now, true)
        }
        let operations = ConditionOperation.predicates.filter { $0.fits(kind) }
        let operation = operations.randomElement(using: &random) ?? .exists
        func one() -> FactValue { value(kind, of: fact, using: &random) }
        let operands: [FactValue] =
            switch operation.operand {
            case .value: [one()]
            case .list: [one(), one()]
            case .flag: [.boolean(Bool.random(using: &random))]
            case .days: [.integer(Int64.random(in: 0...DataFileLimits.dayCount, using: &random))]
            case .range: [one(), one()].sorted { $0.number < $1.number }
            // The compiler accepts this prefix for every string fact, also for locales and the environment.
            case .part: [.string("e")]
            case .conditions, .segment: []
            }
        return .predicate(Predicate(fact, operation, operands))
    }

    private static func test(_ index: Int, in model: RulesModel, using random: inout SeededGenerator)
        -> RulesModel.EmbeddedTest
    {
        let values = model.facts.enumerated().compactMap { place, declared -> RulesModel.TestFact? in
            let value = value(declared.kind, of: .declared(place), using: &random)
            return optional(RulesModel.TestFact(fact: .declared(place), value: value), using: &random)
        }
        var expectation = RulesModel.Expectation(reason: "NONE")
        switch Int.random(in: 0..<4, using: &random) {
        case 0: expectation.rule = RulesModel.RuleExpectation.none
        case 1: expectation.rule = .default
        case 2 where !model.rules.isEmpty:
            let place = Int.random(in: model.rules.indices, using: &random)
            expectation.rule = .rule(place)
            if case .variants = model.rules[place].choice { expectation.arm = "b" }
        default: break
        }
        if Bool.random(using: &random) {
            expectation.message = Int.random(in: model.messages.indices, using: &random)
        } else {
            expectation.servesNothing = true
        }
        return RulesModel.EmbeddedTest(
            name: "t\(index)", productId: "p", userLocale: "de-DE", originalTransactionId: "1",
            nowMilliseconds: date(using: &random), facts: optional(values, using: &random),
            factsAgeSeconds: optional(Int64.random(in: 0...Int64.max, using: &random), using: &random),
            expectation: expectation)
    }
}
