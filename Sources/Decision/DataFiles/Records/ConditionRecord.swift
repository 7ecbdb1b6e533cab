public import System

/// An entry of `conditions`: a node of a tree whose children stand together, after it.
public struct ConditionRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 24 }

    /// A ``ConditionOperation``.
    public var operation: UInt8
    /// A ``ValueKind``; zero for groups.
    public var valueKind: UInt8
    /// A ``Fact``; zero for groups.
    public var fact: UInt16
    /// Groups: the first child. Lists: the first operand. A string: the string. A segment: the segment. Else none.
    public var first: EntryReference
    /// Groups: how many children. Lists: how many operands. Else zero.
    public var count: UInt32
    /// Zero.
    public var reserved: UInt32
    /// A number to compare with, as in ``NumberRecord``, or 0 and 1 for `exists`; else zero.
    public var value: Int64

    /// Makes an entry.
    public init(
        operation: UInt8,
        valueKind: UInt8,
        fact: UInt16,
        first: EntryReference,
        count: UInt32,
        reserved: UInt32 = 0,
        value: Int64
    ) {
        self.operation = operation
        self.valueKind = valueKind
        self.fact = fact
        self.first = first
        self.count = count
        self.reserved = reserved
        self.value = value
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [3 of UInt64] = bytes.words(at: offset) else { return nil }
        operation = UInt8(truncatingIfNeeded: words[0])
        valueKind = UInt8(truncatingIfNeeded: words[0] >> 8)
        fact = UInt16(truncatingIfNeeded: words[0] >> 16)
        first = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
        count = UInt32(truncatingIfNeeded: words[1])
        reserved = UInt32(truncatingIfNeeded: words[1] >> 32)
        value = Int64(bitPattern: words[2])
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(operation)
        buffer.append(valueKind)
        buffer.append(fact)
        buffer.append(first.number)
        buffer.append(count)
        buffer.append(reserved)
        buffer.append(value)
    }
}
