/// An entry of `terms`: one of the tests of a rule's condition, all of which it takes to be true.
/// Derived from the conditions, see ``RuleTerms``.
public struct TermRecord: FileRecord {
    /// A ``TermKind``.
    public var kind: UInt8 = 0
    /// Bits of ``TermOrder``: how the fact may stand to the value. Lists: equal for `in`, the others for `notIn`.
    public var accepted: UInt8 = 0
    /// The ``ValueKind`` of the fact; zero for trees.
    public var valueKind: UInt8 = 0
    /// Where a decision keeps the fact, see ``Fact/slot``; zero for trees.
    public var slot: UInt8 = 0
    /// Lists: the first operand. Trees: the node. Else none.
    public var first = EntryReference.none
    /// Comparisons: the value as in ``NumberRecord``, or the number of the string. Lists: how many operands. Trees: zero.
    public var value: Int64 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
