/// An entry of `terms`: one of the terms of a rule's condition, which is true when all its terms are. It is derived
/// from the conditions, see ``RuleTerms``.
public struct TermRecord: FileRecord {
    /// The kind of the term, a number of ``TermKind``.
    public var kind: UInt8 = 0
    /// Bits of ``TermOrder``: the term is true when the fact compares to the value in one of these ways. Lists: equal
    /// for `in`, less and greater for `notIn`.
    public var accepted: UInt8 = 0
    /// The raw value of the fact's ``ValueKind``; zero for trees.
    public var valueKind: UInt8 = 0
    /// The slot in which a decision keeps the fact, see ``Fact/slot``; zero for trees.
    public var slot: UInt8 = 0
    /// Lists: the first operand. Trees: the node. Else none.
    public var first = EntryReference.none
    /// Comparisons: the value as in ``NumberRecord``, or the number of the string. Lists: the number of operands.
    /// Trees: zero.
    public var value: Int64 = 0

    /// Makes an entry whose numbers are zero and whose references are none.
    public init() {}
}
