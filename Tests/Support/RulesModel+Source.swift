internal import Cryptography
import Facts
package import JSON
package import Rules
internal import System

extension RulesModel {
    /// The rules source of this model. An enumeration becomes a `string`, because the model does not keep its values.
    package var source: JSONNode {
        var members: [(String, JSONNode)] = [
            ("format", .integer(1)),
            ("app", .object([("appAppleId", .integer(appAppleId)), ("bundleId", .string(bundleId))])),
            ("environment", .string(environment.rawValue)),
        ]
        func add(_ name: String, _ list: [(String, JSONNode)]) {
            if !list.isEmpty { members.append((name, .object(list))) }
        }
        add("metadata", metadata.map { ($0.key, .string($0.value)) })
        members.append(("killSwitch", .boolean(killSwitch)))
        add("locales", locales)
        add("products", products.map { ($0.name, $0.source) })
        add("facts", facts.map { ($0.name, .string($0.kind.sourceWord)) })
        add("messages", messages.map { ($0.name, $0.source) })
        add(
            "unapproved",
            messages.flatMap(\.identifiers).compactMap { entry in
                entry.unapproved.map { (entry.identifier.description, .string($0.rawValue)) }
            })
        add("segments", segments.map { ($0.name, source(of: $0.condition)) })
        add("holdout", holdout.map(source(of:)) ?? [])
        add("caps", caps.map { [("offer", .object(source(of: $0)))] } ?? [])
        members.append(("rules", .array(rules.map { .object(source(of: $0)) })))
        add("default", defaultOutcome.map { [("serve", source(of: $0))] } ?? [])
        if !tests.isEmpty { members.append(("tests", .array(tests.map { .object(source(of: $0)) }))) }
        return .object(members)
    }

    package var pushed: [UInt8] { source.serialized(pretty: true) + [0x0A] }
    package var file: RulesFile { RulesFile(self, digest: SHA256.hash(pushed.span)) }

    private var locales: [(String, JSONNode)] {
        var members: [(String, JSONNode)] = []
        if !localeFallbacks.isEmpty {
            members.append(("fallback", .object(localeFallbacks.map { ($0.locale, .string($0.fallback)) })))
        }
        if let lastLocale { members.append(("last", .string(lastLocale))) }
        return members
    }

    private func source(of holdout: Holdout) -> [(String, JSONNode)] {
        var members = source(of: holdout.split)
        members.append(("serve", source(of: holdout.outcome)))
        if let until = holdout.until { members.append(("until", FactValue.date(until).source)) }
        return members
    }

    private func source(of caps: OfferCaps) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = []
        if let limit = caps.maxAccepted { members.append(("maxAccepted", .integer(limit))) }
        if let days = caps.minDaysSinceLast { members.append(("minDaysSinceLast", .integer(days))) }
        for (key, usual, fact) in [
            ("acceptedFact", CapsReader.acceptedFact, caps.acceptedFact),
            ("lastFact", CapsReader.lastFact, caps.lastFact),
        ] {
            if let name = fact.map(name(of:)), name != usual { members.append((key, .string(name))) }
        }
        if caps.allowsUnknown { members.append(("whenUnknown", .string("allow"))) }
        return members
    }

    private func source(of rule: Rule) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [("id", .string(rule.id))]
        if !rule.isEnabled { members.append(("enabled", .boolean(false))) }
        if let condition = rule.condition { members.append(("when", source(of: condition))) }
        var window: [(String, JSONNode)] = []
        if let from = rule.windowFrom { window.append(("from", FactValue.date(from).source)) }
        if let to = rule.windowTo { window.append(("to", FactValue.date(to).source)) }
        if !window.isEmpty { members.append(("window", .object(window))) }
        if let rollout = rule.rollout { members.append(("rollout", .object(source(of: rollout)))) }
        switch rule.choice {
        case .outcome(let outcome): members.append(("serve", source(of: outcome)))
        case .variants(let variants):
            let arms = variants.arms.map { arm in
                JSONNode.object([
                    ("name", .string(arm.name)), ("weight", .integer(Int64(arm.weight))),
                    ("serve", source(of: arm.outcome)),
                ])
            }
            let split = saltAndUnit(variants.salt, variants.unit)
            members.append(("variants", .object(split + [("arms", .array(arms))])))
        }
        return members
    }

    private func source(of split: Split) -> [(String, JSONNode)] {
        saltAndUnit(split.salt, split.unit) + [("basisPoints", .integer(Int64(split.basisPoints)))]
    }

    private func saltAndUnit(_ salt: String, _ unit: Fact) -> [(String, JSONNode)] {
        let unit = unit == .originalTransactionId ? [] : [("unit", JSONNode.string(name(of: unit)))]
        return [("salt", .string(salt))] + unit
    }
}

extension RulesModel.Product {
    fileprivate var source: JSONNode {
        .object(group.map { [("group", .string($0))] } ?? [])
    }
}

extension RulesModel.Message {
    fileprivate var source: JSONNode {
        var members: [(String, JSONNode)] = [
            ("kind", .string(kind.name)),
            ("ids", .object(identifiers.map { ($0.locale, .string($0.identifier.description)) })),
        ]
        if failsWhenUnapproved {
            members.append(("whenUnapproved", .string(RulesModel.WhenUnapproved.pass.rawValue)))
        }
        return .object(members)
    }
}

extension ValueKind {
    fileprivate var sourceWord: String {
        switch self {
        case .string: "string"
        case .date: "date"
        case .integer: "int"
        case .boolean: "bool"
        }
    }
}

extension RulesModel {
    func source(of outcome: Outcome) -> JSONNode {
        switch outcome {
        case .nothing: return .string("none")
        case .message(let message): return .object([("message", messageName(message))])
        case .switch(let message, let productId, let plan):
            var members = [("switch", messageName(message)), ("productId", .string(productId))]
            if let plan { members.append(("billingPlanType", .string(plan.rawValue))) }
            return .object(members)
        case .offer(let message, let productId, let offerIdentifier):
            return .object([
                ("offer", messageName(message)), ("productId", .string(productId)),
                ("offerIdentifier", .string(offerIdentifier)),
            ])
        case .advancedCommerce(let message, let request):
            return .object([("advancedCommerce", messageName(message)), ("request", Self.object(request))])
        }
    }

    func messageName(_ index: Int) -> JSONNode {
        .string(messages.indices.contains(index) ? messages[index].name : "\(index)")
    }

    /// Parses a JSON text of the file. A file from another writer may hold a text that is not valid JSON; it is
    /// returned as a string.
    private static func object(_ text: String) -> JSONNode {
        let limits = JSONLimits(
            byteCount: RulesSourceLimits.sourceByteCount, depth: RulesSourceLimits.jsonDepth)
        guard let document = try? JSONDocument(parsing: text.utf8Span.span, limits: limits) else {
            return .string(text)
        }
        return JSONNode(document.root)
    }

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

    func source(of condition: Condition) -> JSONNode {
        switch condition {
        case .all(let children), .any(let children):
            .object([(condition.operation.word, .array(children.map(source(of:))))])
        case .not(let child): .object([(condition.operation.word, source(of: child))])
        case .predicate(let predicate): source(of: predicate)
        case .segment(let place):
            .object([
                (
                    condition.operation.word,
                    .string(segments.indices.contains(place) ? segments[place].name : "\(place)")
                )
            ])
        }
    }

    private func source(of predicate: Predicate) -> JSONNode {
        let values = predicate.operands.map(\.source)
        let operand: JSONNode =
            switch predicate.operation.operand {
            case .list, .range: .array(values)
            case .value, .part, .flag, .days, .conditions, .segment: values.first ?? .null
            }
        return .object([("fact", .string(name(of: predicate.fact))), (predicate.operation.word, operand)])
    }
}

extension FactValue {
    var source: JSONNode {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .boolean(let flag): .boolean(flag)
        case .date(let milliseconds): .string(CivilTime(milliseconds: milliseconds).exactDescription)
        }
    }
}
