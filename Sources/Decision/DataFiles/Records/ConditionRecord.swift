internal import System

/// An entry of `conditions`: a node of a tree whose children stand together, after it.
package struct ConditionRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable package static var byteCount: Int { 24 }

    /// A ``ConditionOperation``.
    package var operation: UInt8
    /// A ``ValueKind``; zero for groups.
    package var valueKind: UInt8
    /// A ``Fact``; zero for groups.
    package var fact: UInt16
    /// Groups: the first child. Lists: the first operand. A string: the string. Else none.
    package var first: EntryReference
    /// Groups: how many children. Lists: how many operands. Else zero.
    package var count: UInt32
    /// Zero.
    package var reserved: UInt32
    /// A date to compare with; else zero.
    package var value: Int64

    /// Makes an entry.
    package init(
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
    package init?(reading bytes: RawSpan, at offset: Int) {
        guard let operation = bytes.uint8(at: offset),
            let valueKind = bytes.uint8(at: offset + 1),
            let fact = bytes.uint16(at: offset + 2),
            let first = bytes.uint32(at: offset + 4),
            let count = bytes.uint32(at: offset + 8),
            let reserved = bytes.uint32(at: offset + 12),
            let value = bytes.int64(at: offset + 16)
        else { return nil }
        self.operation = operation
        self.valueKind = valueKind
        self.fact = fact
        self.first = EntryReference(first)
        self.count = count
        self.reserved = reserved
        self.value = value
    }

    /// Writes the entry.
    package func write(to buffer: inout ByteBuffer) {
        buffer.append(operation)
        buffer.append(valueKind)
        buffer.append(fact)
        buffer.append(first.number)
        buffer.append(count)
        buffer.append(reserved)
        buffer.append(value)
    }
}
