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
    /// Reserved: zero.
    public var reserved: UInt32 = 0
    /// The number to compare with, as in ``NumberRecord``. For `exists`: 0 or 1. For `olderThanDays` and
    /// `youngerThanDays`: the number of days. Else zero.
    public var value: Int64 = 0

    public init() {}
}
