internal import DataFiles
internal import JSON
internal import Vocabulary

/// Values of facts on the command line and in samples. A value must have the fact's type; nothing is converted.
enum FactLiteral {
    /// Returns the value that a text stands for; nil when the text is not a value of this kind.
    static func value(of text: String, _ kind: ValueKind) -> FactValue? {
        switch kind {
        case .string: .string(text)
        case .integer: Int64(text).map { .integer($0) }
        case .boolean: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
        case .date: date(text)
        }
    }

    /// Returns the value that a JSON value stands for; nil when it is not a value of this kind.
    static func value(of node: JSONNode, _ kind: ValueKind) -> FactValue? {
        switch (node, kind) {
        case (.string(let text), .string): .string(text)
        case (.integer(let number), .integer): .integer(number)
        case (.boolean(let truth), .boolean): .boolean(truth)
        case (.string(let text), .date): date(text)
        default: nil
        }
    }

    /// Returns the form of a value of this kind, for messages.
    static func form(of kind: ValueKind) -> String {
        switch kind {
        case .string: "a text"
        case .integer: "a whole number of 64 bits"
        case .boolean: "true or false"
        case .date: "a date as 2026-11-21T00:00:00Z"
        }
    }

    /// Returns a value as JSON; null for nil.
    static func node(_ value: FactValue?) -> JSONNode {
        switch value {
        case .string(let text)?: .string(text)
        case .integer(let number)?: .integer(number)
        case .boolean(let truth)?: .boolean(truth)
        case .date(let milliseconds)?: .string(FactText.date(milliseconds))
        case nil: .null
        }
    }

    /// Reads a date in the form of tables and rules: RFC 3339 in UTC, with the suffix `Z`.
    private static func date(_ text: String) -> FactValue? {
        guard text.hasSuffix("Z"), let time = CivilTime(text)?.milliseconds,
            DataFileLimits.dateRange.contains(time)
        else { return nil }
        return .date(time)
    }
}
