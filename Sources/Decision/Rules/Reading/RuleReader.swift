internal import Facts
internal import JSON
internal import System

struct RuleReader {
    let conditions: ConditionReader
    let outcomes: OutcomeReader
    let splits: SplitReader
    let segments: [RulesModel.Segment]
    let segmentProducts: [ProductSet]

    func rules(_ value: SourceValue) -> (rules: [RulesModel.Rule], ids: Set<String>) {
        guard let elements = value.elements(limit: DataFileLimits.ruleCount) else {
            return ([], Set(value.value.elements.compactMap { $0.member("id")?.string }))
        }
        var known: [String: String] = [:]
        let rules = elements.compactMap { rule($0, &known) }
        return (rules, Set(known.keys))
    }

    private func rule(_ value: SourceValue, _ known: inout [String: String]) -> RulesModel.Rule? {
        guard value.isObject else { return nil }
        value.checkKeys(.rule)
        let id = identifier(of: value, &known)
        let condition = value.member("when").flatMap { conditions.read($0) }
        let isEnabled = value.member("enabled")?.boolean
        let window = value.member("window").map(window)
        let rollout = value.member("rollout").flatMap { rollout in
            guard rollout.isObject else { return nil as RulesModel.Split? }
            rollout.checkKeys(.rollout)
            return splits.split(rollout)
        }
        let choice = choice(of: value, from: ProductOrigin(condition, segments, segmentProducts))
        guard let id, let choice else { return nil }
        var rule = RulesModel.Rule(id: id, choice: choice)
        rule.condition = condition
        rule.isEnabled = isEnabled ?? true
        (rule.windowFrom, rule.windowTo) = window ?? (nil, nil)
        rule.rollout = rollout
        return rule
    }

    private func identifier(of rule: SourceValue, _ known: inout [String: String]) -> String? {
        guard let value = rule.required("id"), let id = value.name else { return nil }
        if let first = known[id] {
            value.report(.duplicate, "the id \"\(id)\" stands twice", hint: "first in \(first)")
            return nil
        }
        known[id] = rule.path.text
        return id
    }

    private func window(_ value: SourceValue) -> (Int64?, Int64?) {
        guard value.isObject else { return (nil, nil) }
        value.checkKeys(.window)
        let (from, to) = (value.member("from"), value.member("to"))
        guard from != nil || to != nil else {
            value.report(.badValue, "a window needs \"from\", \"to\" or both")
            return (nil, nil)
        }
        let begin = from.flatMap(\.date)
        let end = to.flatMap(\.date)
        if let begin, let end, begin >= end {
            to?.report(
                .badValue, "the window ends before it begins", hint: "\"to\" is the first moment after it")
            return (nil, nil)
        }
        return (begin, end)
    }

    private func choice(of rule: SourceValue, from origin: ProductOrigin) -> RulesModel.Choice? {
        let (serve, variants) = (rule.member("serve"), rule.member("variants"))
        if serve != nil, let variants {
            variants.reportKey(.ambiguous, "a rule serves one thing or has variants, not both")
            return nil
        }
        if let variants {
            return splits.variants(variants) { outcomes.read($0, from: origin) }.map { .variants($0) }
        }
        guard let serve else {
            rule.report(.missingKey, "\"serve\" is missing", hint: "or \"variants\"")
            return nil
        }
        return outcomes.read(serve, from: origin).map { .outcome($0) }
    }
}

struct SplitReader {
    let facts: FactTable

    func split(_ value: SourceValue) -> RulesModel.Split? {
        let (salt, unit) = saltAndUnit(of: value)
        let share = value.required("basisPoints")?.integer(in: 0...10_000, "basisPoints")
        guard let salt, let unit, let share else { return nil }
        return RulesModel.Split(salt: salt, unit: unit, basisPoints: Int(share))
    }

    func variants(_ value: SourceValue, _ read: (SourceValue) -> RulesModel.Outcome?) -> RulesModel.Variants?
    {
        guard value.isObject else { return nil }
        value.checkKeys(.variants)
        let (salt, unit) = saltAndUnit(of: value)
        guard let list = value.required("arms"), let elements = list.elements else { return nil }
        guard !elements.isEmpty else {
            list.report(.badValue, "variants without arms")
            return nil
        }
        var names: Set<String> = []
        var weights: [Int64] = []
        let arms = elements.known { arm($0, &names, &weights, read) }
        // The weight of an arm counts even if the arm has other errors. When a weight is missing, the sum is not checked.
        let sum = weights.reduce(0, +)
        guard weights.count < elements.count || sum == 10_000 else {
            let rest = sum < 10_000 ? "\(10_000 - sum) are missing" : "\(sum - 10_000) are too many"
            list.report(.badValue, "the weights sum to \(sum), not to 10000", hint: rest)
            return nil
        }
        guard let salt, let unit, let arms else { return nil }
        return RulesModel.Variants(salt: salt, unit: unit, arms: arms)
    }

    private func arm(
        _ value: SourceValue, _ names: inout Set<String>, _ weights: inout [Int64],
        _ read: (SourceValue) -> RulesModel.Outcome?
    ) -> RulesModel.Arm? {
        guard value.isObject else { return nil }
        value.checkKeys(.arm)
        let name = value.required("name")?.name
        if let name, !names.insert(name).inserted {
            value.member("name")?.report(.duplicate, "the arm \"\(name)\" stands twice")
        }
        let weight = value.required("weight")?.integer(in: 1...10_000, "a weight")
        if let weight { weights.append(weight) }
        let outcome = value.required("serve").flatMap(read)
        guard let name, let weight, let outcome else { return nil }
        return RulesModel.Arm(name: name, weight: Int(weight), outcome: outcome)
    }

    private func saltAndUnit(of value: SourceValue) -> (salt: String?, unit: Fact?) {
        (value.required("salt").flatMap(salt), facts.unit(of: value))
    }

    fileprivate static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// The hash separates salt and unit by U+001F. Other control characters are refused as invisible typing errors.
    private func salt(_ value: SourceValue) -> String? {
        guard let salt = value.string(limitBytes: RulesSourceLimits.stringByteCount) else { return nil }
        guard !Self.hasControl(salt) else {
            value.report(.badValue, "a control character in a salt")
            return nil
        }
        return salt
    }
}

public struct CapsReader {
    let facts: FactTable

    public static let acceptedFact = "offersAccepted"
    public static let lastFact = "lastOfferAt"
    /// The words for `whenUnknown`: whether an offer is made to a subscriber whose facts are not known.
    public static let whenUnknown = [(word: "refuse", allows: false), (word: "allow", allows: true)]

    func read(_ value: SourceValue) -> RulesModel.OfferCaps? {
        guard value.isObject else { return nil }
        value.checkKeys(.caps)
        guard let offer = value.required("offer"), offer.isObject else { return nil }
        offer.checkKeys(.offerCaps)
        var caps = RulesModel.OfferCaps()
        let (accepted, days) = (offer.member("maxAccepted"), offer.member("minDaysSinceLast"))
        if accepted == nil, days == nil {
            offer.report(.missingKey, "a cap needs \"maxAccepted\", \"minDaysSinceLast\" or both")
        }
        caps.maxAccepted = accepted?.integer(in: 1...Int64.max, "maxAccepted")
        caps.minDaysSinceLast = days?.integer(in: 1...DataFileLimits.dayCount, "minDaysSinceLast")
        caps.acceptedFact = fact("acceptedFact", Self.acceptedFact, .integer, of: offer, for: accepted)
        caps.lastFact = fact("lastFact", Self.lastFact, .date, of: offer, for: days)
        if let word = offer.member("whenUnknown") {
            let choice = word.choice(of: Self.whenUnknown, named: \.word, RulesReason.badValue) {
                "\"\($0)\" is not a value of \"whenUnknown\""
            }
            caps.allowsUnknown = choice?.allows ?? false
        }
        return caps
    }

    /// Returns the fact that a cap reads: the fact that `key` names, else the usual one, which must then be declared.
    ///
    /// Without the cap, a declared usual fact still counts. The number of offers separates a subscriber who never had
    /// an offer, and so has no date of a last one, from a subscriber of whom nothing is known. A subscriber with a
    /// number above 0 but no date counts as unknown.
    private func fact(
        _ key: String, _ usual: String, _ kind: ValueKind, of offer: SourceValue, for cap: SourceValue?
    ) -> Fact? {
        if let named = offer.member(key) {
            guard let entry = facts.find(named), let found = entry.kind else { return nil }
            guard found == kind else {
                named.report(.wrongKind, "\"\(entry.name)\" is \(found.words), a cap needs \(kind.words)")
                return nil
            }
            guard case .declared = entry.fact else {
                named.report(
                    .unknownName, "a cap reads a fact of the facts file", hint: "declare it in \"facts\"")
                return nil
            }
            return entry.fact
        }
        guard let cap else { return facts[usual].flatMap { $0.kind == kind ? $0.fact : nil } }
        guard let entry = facts[usual] else {
            cap.reportKey(
                .unknownName, "the cap reads the fact \"\(usual)\", which is not declared",
                hint: "declare it in \"facts\", or name another one with \"\(key)\"")
            return nil
        }
        guard let found = entry.kind else { return nil }
        guard found == kind else {
            cap.reportKey(
                .wrongKind, "the cap reads the fact \"\(usual)\", which is \(found.words)",
                hint: "it needs \(kind.words)")
            return nil
        }
        return entry.fact
    }
}

struct TestsReader {
    let facts: FactTable
    let outcomes: OutcomeReader
    let rules: [RulesModel.Rule]
    let ruleIDs: Set<String>

    func read(_ value: SourceValue) -> [RulesModel.EmbeddedTest] {
        guard let elements = value.elements else { return [] }
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

    private func values(_ value: SourceValue) -> [RulesModel.TestFact] {
        let found = value.entries.compactMap { name, value -> RulesModel.TestFact? in
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

    private func rule(_ value: SourceValue, _ places: [String: Int]) -> RulesModel.RuleExpectation? {
        if value.value.kind == .null { return RulesModel.RuleExpectation.none }
        guard let id = value.string else { return nil }
        guard ruleIDs.contains(id) else {
            value.report(
                .unknownName, "there is no rule \"\(id)\"",
                hint: Hint.near(id, among: rules.map(\.id))
                    ?? "null means that no rule serves; \"default\": true means the default")
            return nil
        }
        return places[id].map { .rule($0) }
    }

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
