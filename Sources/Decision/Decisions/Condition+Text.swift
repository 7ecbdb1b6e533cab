internal import DataFiles
internal import Vocabulary

extension Condition {
    /// A predicate as the rules language says it, or the name of a group.
    func headline(in file: RulesFile) -> String {
        guard let fact else {
            guard case .segment(let index) = self else { return operation }
            return "segment \(file.segmentName(at: index) ?? "\(index)")"
        }
        return "\(fact.text(in: file)) \(operation) \(operand)"
    }

    /// What the fact of a predicate is compared with.
    private var operand: String {
        switch self {
        case .all, .any, .not, .segment: ""
        case .equal(_, let value), .notEqual(_, let value), .greater(_, let value),
            .greaterOrEqual(_, let value), .less(_, let value), .lessOrEqual(_, let value):
            value.text
        case .isIn(_, let values), .isNotIn(_, let values): Self.text(of: values)
        case .prefix(_, let text): FactValue.string(text).text
        case .exists(_, let isThere): "\(isThere)"
        case .between(_, let low, let high): Self.text(of: [low, high])
        case .olderThanDays(_, let days), .youngerThanDays(_, let days): "\(days)"
        }
    }

    /// What the rules language calls it: `all`, `segment`, `gte`.
    var operation: String {
        switch self {
        case .all: "all"
        case .any: "any"
        case .not: "not"
        case .segment: "segment"
        case .equal: "eq"
        case .notEqual: "ne"
        case .isIn: "in"
        case .isNotIn: "notIn"
        case .prefix: "prefix"
        case .greater: "gt"
        case .greaterOrEqual: "gte"
        case .less: "lt"
        case .lessOrEqual: "lte"
        case .exists: "exists"
        case .between: "between"
        case .olderThanDays: "olderThanDays"
        case .youngerThanDays: "youngerThanDays"
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
