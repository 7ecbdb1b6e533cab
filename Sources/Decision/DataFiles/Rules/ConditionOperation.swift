/// What a node of a condition does. The numbers are those of the file.
public enum ConditionOperation: UInt8, Sendable, CaseIterable {
    /// True when all children are.
    case all = 1
    /// True when some child is.
    case any = 2
    /// True when its only child is false.
    case not = 3
    /// The fact is the value.
    case equal = 4
    /// The fact is another value.
    case notEqual = 5
    /// The fact is in the list.
    case isIn = 6
    /// The fact is not in the list.
    case isNotIn = 7
    /// The fact begins with the value.
    case prefix = 8
    /// The fact is greater than the value.
    case greater = 9
    /// The fact is the value or greater.
    case greaterOrEqual = 10
    /// The fact is less than the value.
    case less = 11
    /// The fact is the value or less.
    case lessOrEqual = 12
    /// The fact has a value, or has none.
    case exists = 13
    /// The fact lies between two values or is one of them.
    case between = 14
    /// More days than the value have passed since the fact.
    case olderThanDays = 15
    /// Fewer days than the value have passed since the fact.
    case youngerThanDays = 16
    /// What a segment's condition is.
    case segment = 17

    /// Whether it has children and no fact.
    public var isGroup: Bool { rawValue <= Self.not.rawValue }
    /// Whether it has a list of operands.
    public var hasList: Bool { self == .isIn || self == .isNotIn || self == .between }

    /// Whether it means something for facts of a kind.
    func fits(_ kind: ValueKind) -> Bool {
        switch self {
        case .all, .any, .not, .segment: false
        case .equal, .notEqual, .isIn, .isNotIn, .exists: true
        case .prefix: kind == .string
        case .greater, .greaterOrEqual, .less, .lessOrEqual, .between: kind.isOrdered
        case .olderThanDays, .youngerThanDays: kind == .date
        }
    }
}

/// What an outcome is. The numbers are those of the file.
public enum OutcomeKind: UInt32, Sendable, Hashable, CaseIterable {
    /// No message of ours: the choice is left to Apple's own fallback.
    case nothing = 0
    /// A message.
    case message = 1
    /// Another plan, with a message.
    case `switch` = 2
    /// A promotional offer, with a message.
    case offer = 3
    /// A change through the Advanced Commerce API, with a message.
    case advancedCommerce = 4

    /// The kind of message that it shows; nil when it shows none.
    public var messageKind: MessageKind? {
        switch self {
        case .nothing: nil
        case .message: .text
        case .switch: .switch
        case .offer: .offer
        case .advancedCommerce: .advancedCommerce
        }
    }

    /// The word in the rules language.
    public var name: String {
        switch self {
        case .nothing: "none"
        case .message: "message"
        case .switch: "switch"
        case .offer: "offer"
        case .advancedCommerce: "advancedCommerce"
        }
    }
}
