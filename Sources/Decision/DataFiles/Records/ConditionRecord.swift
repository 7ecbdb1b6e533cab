/// An entry of `conditions`: a node of a tree whose children stand together, after it.
public struct ConditionRecord: FileRecord {
    /// A ``ConditionOperation``.
    public var operation: UInt8 = 0
    /// A ``ValueKind``; zero for groups.
    public var valueKind: UInt8 = 0
    /// A ``Fact``; zero for groups.
    public var fact: UInt16 = 0
    /// Groups: the first child. Lists: the first operand. A string: the string. A segment: the segment. Else none.
    public var first = EntryReference.none
    /// Groups: how many children. Lists: how many operands. Else zero.
    public var count: UInt32 = 0
    /// Zero.
    public var reserved: UInt32 = 0
    /// A number to compare with, as in ``NumberRecord``, or 0 and 1 for `exists`; else zero.
    public var value: Int64 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
