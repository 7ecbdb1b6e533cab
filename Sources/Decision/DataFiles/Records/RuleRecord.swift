/// An entry of `rules`, in the order of evaluation.
public struct RuleRecord: FileRecord {
    /// The id of the rule, a string.
    public var identifier = EntryReference.none
    /// Bits of ``RuleFlags``.
    public var flags: UInt32 = 0
    /// The root of the rule's `when`, in `conditions`; none when the rule matches always.
    public var condition = EntryReference.none
    /// The rule's outcome, in `outcomes`; none when the rule has arms.
    public var outcome = EntryReference.none
    /// The first millisecond since 1970 of the rule's window; the least number when the window has no beginning.
    public var windowFrom: Int64 = 0
    /// The first millisecond since 1970 after the rule's window; the greatest number when the window has no end.
    public var windowTo: Int64 = 0
    /// A predicate in `conditions` without which the rule cannot match, see ``selectivePredicates(of:node:)``; none
    /// when there is no such predicate.
    public var selectivePredicate = EntryReference.none
    /// Reserved: zero.
    public var reserved: UInt32 = 0

    public init() {}
}
