internal import DataFiles
internal import JSON
internal import Vocabulary

extension RulesModel {
    /// Returns a condition in the form of a rules source.
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
        return .object([
            ("fact", .string(name(of: predicate.fact))), (predicate.operation.word, operand),
        ])
    }
}

extension FactValue {
    /// The value in the form of a rules source.
    var source: JSONNode {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .boolean(let flag): .boolean(flag)
        case .date(let milliseconds): .string(CivilTime(milliseconds: milliseconds).exactDescription)
        }
    }
}
