internal import DataFiles
internal import Vocabulary

extension Condition {
    /// A predicate as the rules language says it, or the name of a group.
    func headline(in file: RulesFile) -> String {
        func predicate(_ fact: Fact, _ operation: String, _ operand: String) -> String {
            "\(fact.text(in: file)) \(operation) \(operand)"
        }
        switch self {
        case .all: return "all"
        case .any: return "any"
        case .not: return "not"
        case .equal(let fact, let value): return predicate(fact, "eq", value.text)
        case .notEqual(let fact, let value): return predicate(fact, "ne", value.text)
        case .isIn(let fact, let values): return predicate(fact, "in", Self.text(of: values))
        case .isNotIn(let fact, let values): return predicate(fact, "notIn", Self.text(of: values))
        case .prefix(let fact, let text): return predicate(fact, "prefix", FactValue.string(text).text)
        case .greater(let fact, let value): return predicate(fact, "gt", value.text)
        case .greaterOrEqual(let fact, let value): return predicate(fact, "gte", value.text)
        case .less(let fact, let value): return predicate(fact, "lt", value.text)
        case .lessOrEqual(let fact, let value): return predicate(fact, "lte", value.text)
        case .exists(let fact, let isThere): return predicate(fact, "exists", "\(isThere)")
        case .between(let fact, let low, let high):
            return predicate(fact, "between", Self.text(of: [low, high]))
        case .olderThanDays(let fact, let days): return predicate(fact, "olderThanDays", "\(days)")
        case .youngerThanDays(let fact, let days): return predicate(fact, "youngerThanDays", "\(days)")
        case .segment(let index): return "segment \(file.segmentName(at: index) ?? "\(index)")"
        }
    }

    /// The fact of a predicate; nil for groups and segments.
    var fact: Fact? {
        switch self {
        case .all, .any, .not, .segment: nil
        case .equal(let fact, _), .notEqual(let fact, _), .isIn(let fact, _), .isNotIn(let fact, _),
            .prefix(let fact, _), .greater(let fact, _), .greaterOrEqual(let fact, _), .less(let fact, _),
            .lessOrEqual(let fact, _), .exists(let fact, _), .between(let fact, _, _),
            .olderThanDays(let fact, _), .youngerThanDays(let fact, _):
            fact
        }
    }

    /// A list, cut after five values.
    private static func text(of values: [FactValue]) -> String {
        let shown = values.prefix(5).map(\.text)
        let rest = values.count > shown.count ? ["and \(values.count - shown.count) more"] : []
        return "[" + (shown + rest).joined(separator: ", ") + "]"
    }
}

extension Fact {
    /// The name for people.
    func text(in file: RulesFile) -> String { file.name(of: self) ?? "#\(number)" }
}

extension FactValue {
    /// The value for people: a string in quotes, a date in RFC 3339.
    var text: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .date(let milliseconds):
            DataFileLimits.dateRange.contains(milliseconds)
                ? "\(CivilTime(milliseconds: milliseconds))" : "\(milliseconds) ms"
        case .integer(let number): "\(number)"
        case .boolean(let isTrue): "\(isTrue)"
        }
    }
}
