/// The kinds of value that a fact has and that a predicate compares with. The raw values are the numbers in the file.
public enum ValueKind: UInt8, Sendable, Hashable, CaseIterable {
    /// A string, compared byte by byte.
    case string = 1
    /// Milliseconds since 1970.
    case date = 2
    /// A whole number of 64 bits, signed.
    case integer = 3
    case boolean = 4

    /// The kind as a word, for people.
    public var name: String {
        switch self {
        case .string: "string"
        case .date: "date"
        case .integer: "integer"
        case .boolean: "boolean"
        }
    }

    /// True when the rules language compares values of this kind by their order.
    public var isOrdered: Bool { self == .date || self == .integer }
}

/// A value of a fact, or a value with which a predicate compares a fact of the same kind.
public enum FactValue: Sendable, Hashable {
    /// A string. Two strings are equal when their bytes are.
    case string(String)
    /// Milliseconds since 1970.
    case date(Int64)
    /// A whole number.
    case integer(Int64)
    case boolean(Bool)

    public var kind: ValueKind {
        switch self {
        case .string: .string
        case .date: .date
        case .integer: .integer
        case .boolean: .boolean
        }
    }

    /// Returns true when the server takes both values for equal; it compares strings byte by byte.
    public static func == (left: FactValue, right: FactValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.date(let left), .date(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        default: false
        }
    }

    /// Hashes the kind and the value, of a string its bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .string(let text):
            for byte in text.utf8 { hasher.combine(byte) }
        case .date(let number), .integer(let number): hasher.combine(number)
        case .boolean(let flag): hasher.combine(flag)
        }
    }
}

extension FactValue {
    /// The number that stands for the value in a file; 0 for a string.
    package var number: Int64 {
        switch self {
        case .string: 0
        case .date(let number), .integer(let number): number
        case .boolean(let isTrue): isTrue ? 1 : 0
        }
    }
}
