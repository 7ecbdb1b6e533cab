/// An entry of `rules`, in the order of evaluation.
public struct RuleRecord: FileRecord {
    /// The rule's id, a string.
    public var identifier = EntryReference.none
    /// Bits of ``RuleFlags``.
    public var flags: UInt32 = 0
    /// The root of its `when` in `conditions`, or none: always.
    public var condition = EntryReference.none
    /// What it serves, in `outcomes`; none when it has arms.
    public var outcome = EntryReference.none
    /// The first millisecond of its window; the least number when it has no beginning.
    public var windowFrom: Int64 = 0
    /// The first millisecond after its window; the greatest number when it has no end.
    public var windowTo: Int64 = 0
    /// The first of its entries in `terms`, behind the one of its head.
    public var firstTerm: UInt32 = 0
    /// How many there are.
    public var termCount: UInt32 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
