internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads conditions: `all`, `any`, `not` and predicates.
struct ConditionReader {
    /// What the source lists in `facts`, for better words about predicates on them.
    let declaredFacts: Set<String>

    /// Reads a condition; nil when something is wrong with it. `depth` counts groups, from 1.
    func read(_ value: SourceValue, depth: Int) -> Condition? {
        guard value.isObject else { return nil }
        let names = value.value.members.map(\.name)
        let groups = Keys.group.supported.filter { names.contains($0) }
        let isPredicate = names.contains("fact")
        if groups.count + (isPredicate ? 1 : 0) > 1 {
            value.report(.ambiguousCondition, "a condition is one of all, any, not and a predicate")
            return nil
        }
        if let group = groups.first {
            value.checkKeys(.group)
            return value.member(group).flatMap { read(group: group, $0, depth: depth) }
        }
        value.checkKeys(.condition)
        guard isPredicate else {
            if !names.contains("segment") {
                value.report(.missingKey, "\"fact\", \"all\", \"any\" or \"not\" is missing")
            }
            return nil
        }
        return predicate(value, names)
    }

    private func read(group: String, _ value: SourceValue, depth: Int) -> Condition? {
        guard depth <= DataFileLimits.conditionDepth else {
            value.reportKey(
                .tooDeep,
                "conditions nest deeper than \(DataFileLimits.conditionDepth)"
            )
            return nil
        }
        if group == "not" { return read(value, depth: depth + 1).map { .not($0) } }
        guard let elements = value.elements(limit: RulesCompilerLimits.groupCount) else { return nil }
        guard !elements.isEmpty else {
            value.report(.emptyList, "\"\(group)\" of nothing")
            return nil
        }
        let children = elements.map { read($0, depth: depth + 1) }
        let known = children.compactMap { $0 }
        guard known.count == children.count else { return nil }
        return group == "all" ? .all(known) : .any(known)
    }

    private func predicate(_ value: SourceValue, _ names: [String]) -> Condition? {
        let fact = value.member("fact").flatMap(fact)
        let operations = Keys.operations.supported.filter { names.contains($0) }
        let later = Keys.operations.later.filter { names.contains($0) }
        guard operations.count + later.count <= 1 else {
            value.report(
                .ambiguousCondition,
                "a predicate has one operation",
                hint: "put several into \"all\""
            )
            return nil
        }
        guard let operation = operations.first, let operand = value.member(operation) else {
            if later.isEmpty {
                let all = (Keys.operations.supported).joined(separator: ", ")
                value.report(.missingKey, "an operation is missing", hint: "one of \(all)")
            }
            return nil
        }
        guard let fact else { return nil }
        switch operation {
        case "eq": return self.value(operand, of: fact).map { .equal(fact, $0) }
        case "ne": return self.value(operand, of: fact).map { .notEqual(fact, $0) }
        case "in": return values(operand, of: fact).map { .isIn(fact, $0) }
        case "notIn": return values(operand, of: fact).map { .isNotIn(fact, $0) }
        default: return prefix(operand, of: fact).map { .prefix(fact, $0) }
        }
    }

    private static let knownFacts = Fact.builtIns.filter { $0 != .factsFound && $0 != .factsAgeSeconds }

    private func fact(_ value: SourceValue) -> Fact? {
        guard let name = value.string else { return nil }
        if let fact = Self.knownFacts.first(where: { $0.builtInName == name }) { return fact }
        if Keys.factsLater.contains(name) || declaredFacts.contains(name) {
            value.report(.notSupportedYet, "the fact \"\(name)\" is not supported yet")
        } else {
            let near = Spelling.nearest(
                to: name,
                among: Self.knownFacts.compactMap(\.builtInName) + Keys.factsLater
            )
            let hint = near.map { "did you mean \"\($0)\"?" }
            value.report(.unknownFact, "unknown fact \"\(name)\"", hint: hint)
        }
        return nil
    }

    /// A value of the fact's kind that the fact can have.
    private func value(_ value: SourceValue, of fact: Fact) -> FactValue? {
        if fact.builtInKind == .date { return value.date.map { .date($0) } }
        switch fact {
        case .environment: return SourceReader.environment(value).map { .string($0.rawValue) }
        case .userLocale:
            guard let text = value.string, value.checkLocale(text) else { return nil }
            return .string(text)
        case .language:
            guard let text = value.string else { return nil }
            guard LocaleSpelling.isLanguage(text) else {
                value.report(.badLocale, "not a language", hint: "the part before the first hyphen, as en")
                return nil
            }
            return .string(text)
        default:
            return value.string(limitBytes: RulesCompilerLimits.stringByteCount).map { .string($0) }
        }
    }

    private func values(_ value: SourceValue, of fact: Fact) -> [FactValue]? {
        guard let elements = value.elements(limit: RulesCompilerLimits.listCount) else { return nil }
        guard !elements.isEmpty else {
            value.report(.emptyList, "a list of nothing")
            return nil
        }
        let values = elements.map { self.value($0, of: fact) }
        let known = values.compactMap { $0 }
        return known.count == values.count ? known : nil
    }

    private func prefix(_ value: SourceValue, of fact: Fact) -> String? {
        guard fact.builtInKind == .string else {
            value.reportKey(
                .wrongOperation,
                "\"\(fact.builtInName ?? "")\" is a \(fact.builtInKind?.name ?? ""), it has no prefix"
            )
            return nil
        }
        guard let text = value.string(limitBytes: RulesCompilerLimits.stringByteCount) else { return nil }
        let isLocale = fact == .userLocale || fact == .language
        guard !isLocale || !text.utf8.contains(UInt8(ascii: "_")) else {
            let meant = String(text.map { $0 == "_" ? "-" : $0 })
            value.report(.badLocale, "no locale begins so", hint: "did you mean \"\(meant)\"?")
            return nil
        }
        return text
    }
}
