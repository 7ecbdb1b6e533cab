internal import DataFiles
internal import Vocabulary

extension Condition {
    /// Returns a predicate as the rules language writes it, or the operator of a group, or `segment` with its name.
    func headline(in file: RulesFile) -> String {
        switch self {
        case .all, .any, .not: operation.word
        case .segment(let index): "\(operation.word) \(file.segmentName(at: index) ?? "\(index)")"
        case .predicate(let predicate):
            "\(predicate.fact.text(in: file)) \(operation.word) \(Self.operandText(of: predicate))"
        }
    }

    /// Returns the operand that a predicate compares its fact with, as text.
    private static func operandText(of predicate: Predicate) -> String {
        switch predicate.operation.operand {
        case .conditions, .segment: ""
        case .value, .part, .flag, .days: predicate.operands.first?.text ?? ""
        case .list, .range: text(of: predicate.operands)
        }
    }

    /// Returns a list as text, cut after five values.
    private static func text(of values: [FactValue]) -> String {
        let shown = values.prefix(5).map(\.text)
        let rest = values.count > shown.count ? ["and \(values.count - shown.count) more"] : []
        return "[" + (shown + rest).joined(separator: ", ") + "]"
    }
}

extension Fact {
    /// Returns the fact's name for display, or its number after `#` when the file has no name for it.
    func text(in file: RulesFile) -> String { file.name(of: self) ?? "#\(number)" }
}

extension FactValue {
    /// The value for display: a string in quotes, a date in RFC 3339.
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
