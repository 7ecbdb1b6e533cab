public import Facts

/// The only entry of `settings`: whom the file serves, and the settings of the whole file.
public struct SettingsRecord: FileRecord {
    public var appAppleId: Int64 = 0
    public var flags: UInt32 = 0
    var environment: UInt16 = 0
    var reserved: UInt16 = 0
    public var bundleId = EntryReference.none
    var revision = EntryReference.none
    public var lastLocale = EntryReference.none
    public var defaultOutcome = EntryReference.none
}

/// An entry of `localeFallbacks`, in the order of `locale`.
public struct FallbackRecord: FileRecord {
    public var locale = EntryReference.none
    public var fallback = EntryReference.none
}

/// An entry of `messages`, in the order of the source.
public struct MessageRecord: FileRecord {
    public var name = EntryReference.none
    /// The raw value of the ``MessageKind``.
    public var kind: UInt16 = 0
    public var flags: UInt16 = 0
    public var firstIdentifier = EntryReference.none
    public var identifierCount: UInt32 = 0
}

/// An entry of `messageIdentifiers`. The identifiers of one message stand together, in the order of `locale`.
public struct IdentifierRecord: FileRecord {
    public var locale = EntryReference.none
    public var flags: UInt32 = 0
    /// The first eight bytes of the identifier, as a big-endian number.
    public var high: UInt64 = 0
    /// The last eight bytes of the identifier, as a big-endian number.
    public var low: UInt64 = 0
}

/// An entry of `rules`, in the order of evaluation.
public struct RuleRecord: FileRecord {
    public var identifier = EntryReference.none
    public var flags: UInt32 = 0
    /// The root of the rule's `when`, in `conditions`; none when the rule matches always.
    public var condition = EntryReference.none
    /// The rule's outcome, in `outcomes`; none when the rule has arms.
    public var outcome = EntryReference.none
    /// The first millisecond since 1970 of the rule's window; the least number when the window has no beginning.
    public var windowFrom: Int64 = 0
    /// The first millisecond since 1970 after the rule's window; the greatest number when the window has no end.
    public var windowTo: Int64 = 0
    /// A predicate in `conditions` without which the rule cannot match, see ``selectivePredicates(of:in:)``; none
    /// when there is no such predicate.
    public var selectivePredicate = EntryReference.none
    public var reserved: UInt32 = 0
}

/// An entry of `ruleSteps`: the rollout and the arms of a rule. Entry N belongs to rule N.
public struct RuleStepsRecord: FileRecord {
    /// The rollout, in `splits`; none when the rule is for all subscribers.
    public var rollout = EntryReference.none
    /// The split that divides the subscribers among the arms, in `splits`; none when the rule has no arms.
    public var variants = EntryReference.none
    public var firstArm = EntryReference.none
    public var armCount: UInt32 = 0
}

/// An entry of `arms`. The arms of one rule stand together, in the order of their ranges.
public struct ArmRecord: FileRecord {
    public var name = EntryReference.none
    public var outcome = EntryReference.none
    public var end: UInt32 = 0
    public var reserved: UInt32 = 0
}

/// An entry of `splits`: a way to split the subscribers by a hash, into those who are in and the others, or among arms.
public struct SplitRecord: FileRecord {
    public var salt = EntryReference.none
    /// The number of the ``Fact`` whose string is hashed.
    public var unit: UInt32 = 0
    /// How many of the 10000 buckets are in; 10000 where arms share the buckets.
    public var basisPoints: UInt32 = 0
    public var reserved: UInt32 = 0
}

/// The only entry of `holdout`, if there is one: the subscribers that no rule serves.
public struct HoldoutRecord: FileRecord {
    public var split = EntryReference.none
    public var outcome = EntryReference.none
    /// The first millisecond since 1970 at which nobody is held out any more; the greatest number when the holdout has
    /// no end.
    public var until: Int64 = 0
}

/// The only entry of `caps`, if there is one: the limits on how often a subscriber gets an offer.
public struct CapsRecord: FileRecord {
    public var flags: UInt32 = 0
    /// The number of the ``Fact`` that counts the offers accepted, or zero.
    public var acceptedFact: UInt16 = 0
    /// The number of the ``Fact`` with the date of the last offer, or zero.
    public var lastFact: UInt16 = 0
    /// The number of accepted offers from which on a subscriber gets no more offers; -1 for no limit.
    public var maxAccepted: Int64 = 0
    /// The number of days that must pass after the last offer before the next one; -1 for no limit.
    public var minDaysSinceLast: Int64 = 0
}

/// An entry of `outcomes`. No two entries are equal.
public struct OutcomeRecord: FileRecord {
    public var kind: UInt32 = 0
    public var message = EntryReference.none
    /// For a switch and an offer: the productId, a string. For Advanced Commerce: the JSON text of the request, a
    /// string. Else none.
    public var first = EntryReference.none
    /// For a switch: the billingPlanType, a string or none. For an offer: the offerIdentifier, a string. Else none.
    public var second = EntryReference.none
}

/// An entry of `conditions`: a node of a tree. The children of a node stand side by side, after the node.
public struct ConditionRecord: FileRecord {
    /// The raw value of the ``ConditionOperation``.
    public var operation: UInt8 = 0
    /// The raw value of the ``ValueKind`` of the fact; zero for groups, segments and `exists`.
    public var valueKind: UInt8 = 0
    /// The number of the ``Fact``; zero for groups and segments.
    public var fact: UInt16 = 0
    /// Groups: the first child. Lists and `between`: the first operand. A segment: the segment. A string: the string.
    /// Else none.
    public var first = EntryReference.none
    /// Groups: the number of children. Lists and `between`: the number of operands. Else zero.
    public var count: UInt32 = 0
    public var reserved: UInt32 = 0
    /// The number to compare with, as in ``NumberRecord``. For `exists`: 0 or 1. For `olderThanDays` and
    /// `youngerThanDays`: the number of days. Else zero.
    public var value: Int64 = 0
}

/// An entry of `factDeclarations`, in the order of the source.
public struct FactDeclarationRecord: FileRecord {
    public var name = EntryReference.none
    public var kind: UInt32 = 0
}

/// An entry of `segments`. Its condition refers to earlier segments only.
public struct SegmentRecord: FileRecord {
    public var name = EntryReference.none
    public var condition = EntryReference.none
}

/// An entry of `productRules`: the rules that may match for a product. The first entry has the rules that may match for
/// any product; the others follow in the order of `productId`.
public struct ProductRulesRecord: FileRecord {
    public var productId = EntryReference.none
    public var first: UInt32 = 0
    public var count: UInt32 = 0
    public var reserved: UInt32 = 0
}

public enum OutcomeKind: UInt32, Sendable, Hashable, CaseIterable {
    case nothing = 0
    case message = 1
    case `switch` = 2
    case offer = 3
    case advancedCommerce = 4

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

/// The bits of ``SettingsRecord/flags``.
public enum SettingsFlags {
    public static let killSwitch: UInt32 = 1
}

/// The bits of ``RuleRecord/flags``.
public enum RuleFlags {
    public static let enabled: UInt32 = 1
}

/// The bits of ``MessageRecord/flags``.
public enum MessageFlags {
    /// A locale that Apple has not approved ends the search: the message's other locales are not tried, and the rule
    /// fails.
    public static let failsWhenUnapproved: UInt16 = 1
}

/// The bits of ``IdentifierRecord/flags``.
public enum IdentifierFlags {
    public static let masked: UInt32 = 1
}

/// The bits of ``CapsRecord/flags``.
public enum CapsFlags {
    public static let allowsUnknown: UInt32 = 1
}

/// The sections of a rules file, in their order. ``RulesTables`` says what each of them holds.
enum RulesSection: Int, CaseIterable {
    case strings
    case stringIndex
    case settings
    case localeFallbacks
    case messages
    case messageIdentifiers
    case rules
    case outcomes
    case conditions
    case stringLists
    case numberLists
    case factDeclarations
    case segments
    case splits
    case ruleSteps
    case arms
    case holdout
    case caps
    case productRules
    case ruleLists
    case stringBuckets
}
