/// What a predicate can ask about: a fact that the request or the server itself knows.
///
/// The numbers are those of the file. 7 and 8 are kept for `factsFound` and `factsAgeSeconds`, 256 and above for the
/// facts of a facts file.
public enum Fact: UInt16, Sendable, Hashable, CaseIterable {
    /// The product the subscriber is on.
    case productId = 1
    /// The locale of the subscriber's device.
    case userLocale = 2
    /// The part of `userLocale` before its first hyphen.
    case language = 3
    /// The environment of the request, as Apple spells it.
    case environment = 4
    /// The subscriber's original transaction identifier.
    case originalTransactionId = 5
    /// The server's clock.
    case now = 6

    /// The name in the rules language.
    public var name: String {
        switch self {
        case .productId: "productId"
        case .userLocale: "userLocale"
        case .language: "language"
        case .environment: "environment"
        case .originalTransactionId: "originalTransactionId"
        case .now: "now"
        }
    }

    /// The kind of value it has.
    public var valueKind: ValueKind {
        self == .now ? .date : .string
    }
}

/// The kinds of value that a fact has and a predicate compares with. 3 and 4 are kept for whole numbers and truth
/// values.
public enum ValueKind: UInt8, Sendable, Hashable, CaseIterable {
    /// A string, compared byte by byte.
    case string = 1
    /// Milliseconds since 1970.
    case date = 2

    /// The word for people.
    public var name: String {
        switch self {
        case .string: "string"
        case .date: "date"
        }
    }
}
