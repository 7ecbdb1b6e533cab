internal import Facts

struct SettingsRecord: FileRecord {
    var appAppleId: Int64 = 0
    var isKilled: UInt32 = 0
    var environment: UInt16 = 0
    var reserved: UInt16 = 0
    var bundleId = EntryReference.none
    var revision = EntryReference.none
    var lastLocale = EntryReference.none
    var defaultOutcome = EntryReference.none
}

struct FallbackRecord: FileRecord {
    var locale = EntryReference.none
    var fallback = EntryReference.none
}

struct MessageRecord: FileRecord {
    var name = EntryReference.none
    var kind: UInt16 = 0
    var failsWhenUnapproved: UInt16 = 0
    var firstIdentifier = EntryReference.none
    var identifierCount: UInt32 = 0
}

/// An entry of `messageIdentifiers`. The identifiers of one message stand together, in the order of `locale`.
struct IdentifierRecord: FileRecord {
    var locale = EntryReference.none
    var isMasked: UInt32 = 0
    /// The two halves of the identifier, as big-endian numbers.
    var high: UInt64 = 0
    var low: UInt64 = 0
}

struct RuleRecord: FileRecord {
    var identifier = EntryReference.none
    var isEnabled: UInt32 = 0
    var condition = EntryReference.none
    var outcome = EntryReference.none
    /// The first millisecond since 1970 of the rule's window; the least number when the window has no beginning.
    var windowFrom: Int64 = 0
    /// The first millisecond since 1970 after the rule's window; the greatest number when the window has no end.
    var windowTo: Int64 = 0
    /// A predicate in `conditions` without which the rule cannot match, see ``selectivePredicates(of:in:)``, or none.
    var selectivePredicate = EntryReference.none
    var reserved: UInt32 = 0
}

struct RuleStepsRecord: FileRecord {
    var rollout = EntryReference.none
    var variants = EntryReference.none
    var firstArm = EntryReference.none
    var armCount: UInt32 = 0
}

/// An entry of `arms`. The arms of one rule stand together, in the order of their ranges.
struct ArmRecord: FileRecord {
    var name = EntryReference.none
    var outcome = EntryReference.none
    var end: UInt32 = 0
    var reserved: UInt32 = 0
}

/// An entry of `splits`: a way to split the subscribers by a hash, into those who are in and the others, or among arms.
struct SplitRecord: FileRecord {
    var salt = EntryReference.none
    var unit: UInt32 = 0
    /// How many of the 10000 buckets are in; 10000 where arms share the buckets.
    var basisPoints: UInt32 = 0
    var reserved: UInt32 = 0
}

struct HoldoutRecord: FileRecord {
    var split = EntryReference.none
    var outcome = EntryReference.none
    /// The first millisecond since 1970 at which nobody is held out any more; the greatest number without an end.
    var until: Int64 = 0
}

struct CapsRecord: FileRecord {
    var allowsUnknown: UInt32 = 0
    var acceptedFact: UInt16 = 0
    var lastFact: UInt16 = 0
    var maxAccepted: Int64 = 0
    var minDaysSinceLast: Int64 = 0
}

/// An entry of `outcomes`. No two entries are equal.
struct OutcomeRecord: FileRecord {
    var kind: UInt32 = 0
    var message = EntryReference.none
    /// For a switch and an offer: the productId, a string. For Advanced Commerce: the JSON text of the request.
    var first = EntryReference.none
    /// For a switch: the billingPlanType, a string or none. For an offer: the offerIdentifier.
    var second = EntryReference.none
}

/// An entry of `conditions`: a node of a tree. The children of a node stand side by side, after the node.
struct ConditionRecord: FileRecord {
    var operation: UInt8 = 0
    var valueKind: UInt8 = 0
    var fact: UInt16 = 0
    /// Groups: the first child. Lists and `between`: the first operand. A segment: the segment. A string: the string.
    var first = EntryReference.none
    var count: UInt32 = 0
    var reserved: UInt32 = 0
    /// The number to compare with, as in ``NumberRecord``. For `exists`: 0 or 1. For `olderThanDays` and
    /// `youngerThanDays`: the number of days.
    var value: Int64 = 0
}

struct FactDeclarationRecord: FileRecord {
    var name = EntryReference.none
    var kind: UInt32 = 0
}

/// An entry of `segments`. Its condition refers to earlier segments only.
struct SegmentRecord: FileRecord {
    var name = EntryReference.none
    var condition = EntryReference.none
}

struct ProductRulesRecord: FileRecord {
    var productId = EntryReference.none
    var first: UInt32 = 0
    var count: UInt32 = 0
    var reserved: UInt32 = 0
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

/// The sections of a rules file, in their order. ``RulesTables`` says what each of them holds.
enum RulesSection: Int, CaseIterable {
    case strings, stringIndex, settings, localeFallbacks, messages, messageIdentifiers, rules, outcomes
    case conditions, stringLists, numberLists, factDeclarations, segments, splits, ruleSteps, arms, holdout
    case caps, productRules, ruleLists, stringBuckets
}
