internal import DataFiles
internal import JSON
internal import Vocabulary

extension RulesModel {
    /// A condition as a source has it.
    func source(of condition: Condition) -> JSONNode {
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
        case .segment(let place):
            .object([
                ("segment", .string(segments.indices.contains(place) ? segments[place].name : "\(place)"))
            ])
        }
    }

    private func predicate(_ fact: Fact, _ operation: String, _ operand: JSONNode) -> JSONNode {
        .object([("fact", .string(name(of: fact))), (operation, operand)])
    }
}

extension FactValue {
    /// The value as a source has it.
    var source: JSONNode {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .boolean(let flag): .boolean(flag)
        case .date(let milliseconds): .string(CivilTime(milliseconds: milliseconds).exactDescription)
        }
    }
}
