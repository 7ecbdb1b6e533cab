public import DataFiles
public import JSON
internal import Vocabulary

extension RulesModel {
    /// The source that says the same: compiling it under the same stamp gives the same file.
    ///
    /// Dates are written in UTC; the order of fallbacks, of a message's locales and of listed values is the file's.
    public var source: JSONNode {
        var members: [(String, JSONNode)] = [
            ("format", .integer(1)),
            (
                "app",
                .object([("appAppleId", .integer(appAppleId)), ("bundleId", .string(bundleId))])
            ),
            ("environment", .string(environment.rawValue)),
        ]
        if !metadata.isEmpty {
            members.append(("metadata", .object(metadata.map { ($0.key, .string($0.value)) })))
        }
        members.append(("killSwitch", .boolean(killSwitch)))
        if let locales { members.append(("locales", locales)) }
        if !messages.isEmpty {
            members.append(("messages", .object(messages.map { ($0.name, $0.source) })))
        }
        members.append(("rules", .array(rules.map(source(of:)))))
        if let defaultOutcome {
            members.append(("default", .object([("serve", source(of: defaultOutcome))])))
        }
        return .object(members)
    }

    private var locales: JSONNode? {
        var members: [(String, JSONNode)] = []
        if !localeFallbacks.isEmpty {
            members.append(("fallback", .object(localeFallbacks.map { ($0.locale, .string($0.fallback)) })))
        }
        if let lastLocale { members.append(("last", .string(lastLocale))) }
        return members.isEmpty ? nil : .object(members)
    }

    private func source(of rule: Rule) -> JSONNode {
        var members: [(String, JSONNode)] = [("id", .string(rule.id))]
        if !rule.isEnabled { members.append(("enabled", .boolean(false))) }
        if let condition = rule.condition { members.append(("when", source(of: condition))) }
        var window: [(String, JSONNode)] = []
        if let from = rule.windowFrom { window.append(("from", FactValue.date(from).source)) }
        if let to = rule.windowTo { window.append(("to", FactValue.date(to).source)) }
        if !window.isEmpty { members.append(("window", .object(window))) }
        if case .outcome(let outcome) = rule.choice { members.append(("serve", source(of: outcome))) }
        return .object(members)
    }

    private func source(of outcome: Outcome) -> JSONNode {
        func name(_ index: Int) -> JSONNode {
            .string(messages.indices.contains(index) ? messages[index].name : "\(index)")
        }
        switch outcome {
        case .nothing: return .string("none")
        case .message(let index): return .object([("message", name(index))])
        case .switch(let index, let productId, let plan):
            let planType = plan.map { [("billingPlanType", JSONNode.string($0.rawValue))] } ?? []
            return .object([("switch", name(index)), ("productId", .string(productId))] + planType)
        case .offer(let index, let productId, let offerIdentifier):
            return .object([
                ("offer", name(index)), ("productId", .string(productId)),
                ("offerIdentifier", .string(offerIdentifier)),
            ])
        case .advancedCommerce(let index, let request):
            return .object([("advancedCommerce", name(index)), ("request", .string(request))])
        }
    }
}

extension RulesModel.Message {
    fileprivate var source: JSONNode {
        .object([
            ("kind", .string(kind.name)),
            ("ids", .object(identifiers.map { ($0.locale, .string($0.identifier.description)) })),
        ])
    }
}

extension RulesModel {
    private func source(of condition: Condition) -> JSONNode {
        switch condition {
        case .all(let children): .object([("all", .array(children.map(source(of:))))])
        case .any(let children): .object([("any", .array(children.map(source(of:))))])
        case .not(let child): .object([("not", source(of: child))])
        case .equal(let fact, let value): predicate(fact, "eq", value.source)
        case .notEqual(let fact, let value): predicate(fact, "ne", value.source)
        case .isIn(let fact, let values): predicate(fact, "in", .array(values.map(\.source)))
        case .isNotIn(let fact, let values): predicate(fact, "notIn", .array(values.map(\.source)))
        case .prefix(let fact, let text): predicate(fact, "prefix", .string(text))
        case .greater(let fact, let value): predicate(fact, "gt", value.source)
        case .greaterOrEqual(let fact, let value): predicate(fact, "gte", value.source)
        case .less(let fact, let value): predicate(fact, "lt", value.source)
        case .lessOrEqual(let fact, let value): predicate(fact, "lte", value.source)
        case .exists(let fact, let isThere): predicate(fact, "exists", .boolean(isThere))
        case .between(let fact, let low, let high):
            predicate(fact, "between", .array([low.source, high.source]))
        case .olderThanDays(let fact, let days): predicate(fact, "olderThanDays", .integer(days))
        case .youngerThanDays(let fact, let days): predicate(fact, "youngerThanDays", .integer(days))
        case .segment(let index):
            .object([
                ("segment", .string(segments.indices.contains(index) ? segments[index].name : "\(index)"))
            ])
        }
    }

    private func predicate(_ fact: Fact, _ operation: String, _ operand: JSONNode) -> JSONNode {
        .object([("fact", .string(name(of: fact))), (operation, operand)])
    }
}

extension FactValue {
    fileprivate var source: JSONNode {
        switch self {
        case .string(let text): .string(text)
        case .date(let milliseconds): .string(Self.text(ofDate: milliseconds))
        case .integer(let number): .integer(number)
        case .boolean(let isTrue): .boolean(isTrue)
        }
    }

    /// RFC 3339 with as much of a second as there is.
    private static func text(ofDate milliseconds: Int64) -> String {
        let time = CivilTime(milliseconds: milliseconds)
        guard time.millisecond > 0 else { return time.description }
        let fraction = String(1000 + time.millisecond).dropFirst()
        return time.description.dropLast() + ".\(fraction)Z"
    }
}
