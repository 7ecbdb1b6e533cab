public import System

/// An entry of `terms`: one of the tests of a rule's condition, all of which it takes to be true.
/// Derived from the conditions, see ``RuleTerms``.
public struct TermRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 16 }

    /// A ``TermKind``.
    public var kind: UInt8
    /// Bits of ``TermOrder``: how the fact may stand to the value. Lists: equal for `in`, the others for `notIn`.
    public var accepted: UInt8
    /// The ``ValueKind`` of the fact; zero for trees.
    public var valueKind: UInt8
    /// Where a decision keeps the fact, see ``Fact/slot``; zero for trees.
    public var slot: UInt8
    /// Lists: the first operand. Trees: the node. Else none.
    public var first: EntryReference
    /// Comparisons: the value as in ``NumberRecord``, or the number of the string. Lists: how many operands. Trees: zero.
    public var value: Int64

    /// Makes an entry; without the rest one of nothing but its kind.
    public init(
        kind: UInt8,
        accepted: UInt8 = 0,
        valueKind: UInt8 = 0,
        slot: UInt8 = 0,
        first: EntryReference = .none,
        value: Int64 = 0
    ) {
        self.kind = kind
        self.accepted = accepted
        self.valueKind = valueKind
        self.slot = slot
        self.first = first
        self.value = value
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [2 of UInt64] = bytes.words(at: offset) else { return nil }
        self.init(words[0], words[1])
    }

    /// From its two words.
    @inlinable
    @inline(__always)
    init(_ head: UInt64, _ value: UInt64) {
        kind = UInt8(truncatingIfNeeded: head)
        accepted = UInt8(truncatingIfNeeded: head >> 8)
        valueKind = UInt8(truncatingIfNeeded: head >> 16)
        slot = UInt8(truncatingIfNeeded: head >> 24)
        first = EntryReference(UInt32(truncatingIfNeeded: head >> 32))
        self.value = Int64(bitPattern: value)
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(kind)
        buffer.append(accepted)
        buffer.append(valueKind)
        buffer.append(slot)
        buffer.append(first.number)
        buffer.append(value)
    }
}
