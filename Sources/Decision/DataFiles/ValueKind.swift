/// The kinds of value that a fact has and a predicate compares with. The numbers are those of the file.
public enum ValueKind: UInt8, Sendable, Hashable, CaseIterable {
    /// A string, compared byte by byte.
    case string = 1
    /// Milliseconds since 1970.
    case date = 2
    /// A whole number of 64 bits, signed.
    case integer = 3
    /// True or false.
    case boolean = 4

    /// The word for people.
    public var name: String {
        switch self {
        case .string: "string"
        case .date: "date"
        case .integer: "integer"
        case .boolean: "boolean"
        }
    }

    /// Whether values of this kind stand in an order that the language compares by.
    public var isOrdered: Bool { self == .date || self == .integer }
}

/// A value that a fact has or is compared with; of the fact's kind.
public enum FactValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// Milliseconds since 1970.
    case date(Int64)
    /// A whole number.
    case integer(Int64)
    /// True or false.
    case boolean(Bool)

    /// Its kind.
    public var kind: ValueKind {
        switch self {
        case .string: .string
        case .date: .date
        case .integer: .integer
        case .boolean: .boolean
        }
    }
}
