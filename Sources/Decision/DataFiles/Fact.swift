/// A fact that a predicate can test: a built-in one, which the request or the server itself knows, or a fact of the
/// facts file that the rules declare.
public enum Fact: Sendable, Hashable {
    /// The product to which the subscriber is subscribed.
    case productId
    /// The locale of the subscriber's device.
    case userLocale
    /// The part of `userLocale` before its first hyphen.
    case language
    /// The environment of the request, as Apple spells it.
    case environment
    /// The subscriber's original transaction identifier.
    case originalTransactionId
    /// The server's clock.
    case now
    /// True when the facts file has a record of the subscriber. Never missing.
    case factsFound
    /// The age of the facts file in whole seconds; missing when there is no facts file.
    case factsAgeSeconds
    /// The fact at this place in ``RulesModel/facts``.
    case declared(Int)

    /// The built-in facts, which the rules do not declare, in the order of their numbers.
    public static let builtIns: [Fact] = [
        .productId, .userLocale, .language, .environment, .originalTransactionId, .now, .factsFound,
        .factsAgeSeconds,
    ]

    /// The number of the first declared fact in a file.
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

    /// Makes the fact that has this number in a file; nil for a number without a meaning. The caller checks that a
    /// declared fact exists.
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

    /// The fact's name in the rules language; nil for a declared fact, whose declaration has the name.
    public var builtInName: String? {
        switch self {
        case .productId: "productId"
        case .userLocale: "userLocale"
        case .language: "language"
        case .environment: "environment"
        case .originalTransactionId: "originalTransactionId"
        case .now: "now"
        case .factsFound: "factsFound"
        case .factsAgeSeconds: "factsAgeSeconds"
        case .declared: nil
        }
    }

    /// The kind of the fact's values; nil for a declared fact, whose declaration has the kind.
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
