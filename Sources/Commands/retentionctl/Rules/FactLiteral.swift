internal import DataFiles
internal import JSON
internal import Vocabulary

/// Values of facts as they are written on the command line and in samples: typed, never converted.
enum FactLiteral {
    /// The value that a text says; nil when it says none of this kind.
    static func value(of text: String, _ kind: ValueKind) -> FactValue? {
        switch kind {
        case .string: .string(text)
        case .integer: Int64(text).map { .integer($0) }
        case .boolean: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
        case .date: date(text)
        }
    }

    /// The value that a JSON value says; nil when it says none of this kind.
    static func value(of node: JSONNode, _ kind: ValueKind) -> FactValue? {
        switch (node, kind) {
        case (.string(let text), .string): .string(text)
        case (.integer(let number), .integer): .integer(number)
        case (.boolean(let truth), .boolean): .boolean(truth)
        case (.string(let text), .date): date(text)
        default: nil
        }
    }

    /// How a value of a kind is written, for messages.
    static func form(of kind: ValueKind) -> String {
        switch kind {
        case .string: "a text"
        case .integer: "a whole number of 64 bits"
        case .boolean: "true or false"
        case .date: "a date as 2026-11-21T00:00:00Z"
        }
    }

    /// A value as JSON; null where there is none.
    static func node(_ value: FactValue?) -> JSONNode {
        switch value {
        case .string(let text)?: .string(text)
        case .integer(let number)?: .integer(number)
        case .boolean(let truth)?: .boolean(truth)
        case .date(let milliseconds)?: .string(FactText.date(milliseconds))
        case nil: .null
        }
    }

    /// As in tables and in rules: in UTC, which a `Z` says.
    private static func date(_ text: String) -> FactValue? {
        guard text.hasSuffix("Z"), let time = CivilTime(text)?.milliseconds,
            DataFileLimits.dateRange.contains(time)
        else { return nil }
        return .date(time)
    }
}
