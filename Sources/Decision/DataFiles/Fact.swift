/// What a predicate can ask about: something that the request or the server itself knows, or a fact of the facts
/// file that the rules declare.
public enum Fact: Sendable, Hashable {
    /// The product the subscriber is on.
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
    /// Whether the facts file has a record of the subscriber. Never missing.
    case factsFound
    /// How old the facts file is, in whole seconds; missing when there is none.
    case factsAgeSeconds
    /// The fact at this place in ``RulesModel/facts``.
    case declared(Int)

    /// The facts that are there without being declared, in the order of their numbers.
    public static let builtIns: [Fact] = [
        .productId, .userLocale, .language, .environment, .originalTransactionId, .now, .factsFound,
        .factsAgeSeconds,
    ]

    /// The number of the first declared fact in a file.
    @usableFromInline static let declaredBase: UInt16 = 256

    /// The number in a file: 1 to 8 for those that are built in, 256 and the place for the others.
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

    /// The fact with a number of the file; nil for a number that means nothing. Whether a declared one exists is for
    /// the caller to check.
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

    /// Where a decision keeps the fact: 0 to 7 for those that are built in, then those declared.
    public var slot: Int { Self.slot(ofNumber: number) }

    /// The slot of the fact with a number of the file; beyond all slots for a number that means nothing.
    @inlinable
    @inline(__always)
    public static func slot(ofNumber number: UInt16) -> Int {
        let number = Int(number)
        // The mask sends 0, less one, beyond all slots too.
        return number <= 8 ? (number &- 1) & .max : number < 256 ? .max : number &- 248
    }

    /// The fact that a decision keeps in a slot.
    public init?(slot: Int) {
        self.init(number: UInt16(truncatingIfNeeded: slot < 8 ? slot &+ 1 : slot &+ 248))
    }

    /// The name in the rules language; nil for a declared fact, whose name its declaration has.
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

    /// The kind of value; nil for a declared fact, whose kind its declaration has.
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
