public enum Fact: Sendable, Hashable {
    case productId
    case userLocale
    /// The part of `userLocale` before its first hyphen.
    case language
    case environment
    case originalTransactionId
    case now
    /// True when the facts file has a record of the subscriber. Never missing.
    case factsFound
    /// The age of the facts file in whole seconds; missing when there is no facts file.
    case factsAgeSeconds
    case declared(Int)

    public static let builtIns: [Fact] = [
        .productId, .userLocale, .language, .environment, .originalTransactionId, .now, .factsFound,
        .factsAgeSeconds,
    ]

    @usableFromInline static let declaredBase: UInt16 = 256

    /// The fact's number in a file: 1 to 8 for a built-in fact, 256 plus its place for a declared one.
    public var number: UInt16 {
        switch self {
        case .productId: 1
        case .userLocale: 2
        case .language: 3
        case .environment: 4
        case .originalTransactionId: 5
        case .now: 6
        case .factsFound: 7
        case .factsAgeSeconds: 8
        case .declared(let index): Self.declaredBase &+ UInt16(truncatingIfNeeded: index)
        }
    }

    /// Nil for a number without a meaning. The caller checks that a declared fact exists.
    @inlinable
    public init?(number: UInt16) {
        switch number {
        case 1: self = .productId
        case 2: self = .userLocale
        case 3: self = .language
        case 4: self = .environment
        case 5: self = .originalTransactionId
        case 6: self = .now
        case 7: self = .factsFound
        case 8: self = .factsAgeSeconds
        case Self.declaredBase...: self = .declared(Int(number - Self.declaredBase))
        default: return nil
        }
    }

    public var builtInName: String? {
        if case .declared = self { nil } else { "\(self)" }
    }

    public var builtInKind: ValueKind? {
        switch self {
        case .productId, .userLocale, .language, .environment, .originalTransactionId: .string
        case .now: .date
        case .factsFound: .boolean
        case .factsAgeSeconds: .integer
        case .declared: nil
        }
    }
}

/// The kinds of value that a fact has and that a predicate compares with. The raw values are the numbers in the file.
public enum ValueKind: UInt8, Sendable, Hashable, CaseIterable {
    case string = 1
    /// Milliseconds since 1970.
    case date = 2
    case integer = 3
    case boolean = 4

    public var name: String { "\(self)" }

    public var isOrdered: Bool { self == .date || self == .integer }
}

/// A value of a fact, or a value with which a predicate compares a fact of the same kind.
public enum FactValue: Sendable, Hashable {
    case string(String)
    case date(Int64)
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

    /// Compares strings byte by byte, as the server does.
    public static func == (left: FactValue, right: FactValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.date(let left), .date(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .string(let text):
            for byte in text.utf8 { hasher.combine(byte) }
        case .date(let number), .integer(let number): hasher.combine(number)
        case .boolean(let flag): hasher.combine(flag)
        }
    }

    public var number: Int64 {
        switch self {
        case .string: 0
        case .date(let number), .integer(let number): number
        case .boolean(let isTrue): isTrue ? 1 : 0
        }
    }
}
