/// What a node of a condition does. 9 to 16 are kept for `gt`, `gte`, `lt`, `lte`, `exists`, `between`,
/// `olderThanDays` and `youngerThanDays`.
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

    /// Whether it has children and no fact.
    public var isGroup: Bool { rawValue <= Self.not.rawValue }
    /// Whether it has a list of operands.
    public var hasList: Bool { self == .isIn || self == .isNotIn }
}

/// What an outcome is. 2, 3 and 4 are kept for switches, offers and advanced commerce.
public enum OutcomeKind: UInt32, Sendable, CaseIterable {
    /// No message of ours: the choice is left to Apple's own fallback.
    case nothing = 0
    /// A message.
    case message = 1
}

/// The bits of ``SettingsRecord/flags``.
public enum SettingsFlags {
    /// Nothing is decided any more: every request gets no message.
    public static let killSwitch: UInt32 = 1
    /// All bits that mean something.
    public static let known: UInt32 = 1
}

/// The bits of ``RuleRecord/flags``.
public enum RuleFlags {
    /// The rule takes part.
    public static let enabled: UInt32 = 1
    /// All bits that mean something.
    public static let known: UInt32 = 1
}
