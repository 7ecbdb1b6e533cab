internal import DataFiles
internal import Vocabulary

extension Condition {
    /// A predicate as the rules language says it, or the name of a group.
    var headline: String {
        switch self {
        case .all: "all"
        case .any: "any"
        case .not: "not"
        case .equal(let fact, let value): "\(fact.name) eq \(value.text)"
        case .notEqual(let fact, let value): "\(fact.name) ne \(value.text)"
        case .isIn(let fact, let values): "\(fact.name) in \(Self.text(of: values))"
        case .isNotIn(let fact, let values): "\(fact.name) notIn \(Self.text(of: values))"
        case .prefix(let fact, let text): "\(fact.name) prefix \(FactValue.string(text).text)"
        }
    }

    /// A list, cut after five values.
    private static func text(of values: [FactValue]) -> String {
        let shown = values.prefix(5).map(\.text)
        let rest = values.count > shown.count ? ["and \(values.count - shown.count) more"] : []
        return "[" + (shown + rest).joined(separator: ", ") + "]"
    }
}

extension FactValue {
    /// The value for people: a string in quotes, a date in RFC 3339.
    var text: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .date(let milliseconds):
            DataFileLimits.dateRange.contains(milliseconds)
                ? "\(CivilTime(milliseconds: milliseconds))" : "\(milliseconds) ms"
        }
    }
}
