public import DataFiles

/// The type of a fact, as a schema declares it.
public enum FactType: Sendable, Hashable {
    /// `bool`: `true` or `false`.
    case boolean
    /// `int`: a whole number of 64 bits.
    case integer
    /// `date`: RFC 3339 in UTC, stored as milliseconds since 1970.
    case date
    /// `string`: any text.
    case string
    /// `enum(a, b)`: one of the listed texts.
    case enumeration([String])

    /// Parses `bool`, `int`, `date`, `string` or `enum(a, b)`; returns nil for any other text. An enumeration needs at
    /// least one value. Its values must not be empty or repeated; spaces around a value are ignored.
    public init?(_ text: String) {
        switch text {
        case "bool": self = .boolean
        case "int": self = .integer
        case "date": self = .date
        case "string": self = .string
        default:
            guard text.hasPrefix("enum("), text.hasSuffix(")") else { return nil }
            let values = text.dropFirst(5).dropLast().split(separator: ",", omittingEmptySubsequences: false)
                .map { value in
                    let start = value.drop { $0 == " " }
                    return String(start.reversed().drop { $0 == " " }.reversed())
                }
            guard !values.contains(""), Set(values.map { Array($0.utf8) }).count == values.count else {
                return nil
            }
            self = .enumeration(values)
        }
    }

    /// The kind of value in a facts file.
    public var kind: ValueKind {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .date: .date
        case .string, .enumeration: .string
        }
    }
}
