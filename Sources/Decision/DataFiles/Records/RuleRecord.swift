internal import System

/// An entry of `rules`, in the order of evaluation.
package struct RuleRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable package static var byteCount: Int { 40 }

    /// The rule's id, a string.
    package var identifier: EntryReference
    /// Bits of ``RuleFlags``.
    package var flags: UInt32
    /// The root of its `when` in `conditions`, or none: always.
    package var condition: EntryReference
    /// What it serves, in `outcomes`.
    package var outcome: EntryReference
    /// The first millisecond of its window; the least number when it has no beginning.
    package var windowFrom: Int64
    /// The first millisecond after its window; the greatest number when it has no end.
    package var windowTo: Int64
    /// Zero.
    package var reserved: UInt64

    /// Makes an entry.
    package init(
        identifier: EntryReference,
        flags: UInt32,
        condition: EntryReference,
        outcome: EntryReference,
        windowFrom: Int64,
        windowTo: Int64,
        reserved: UInt64 = 0
    ) {
        self.identifier = identifier
        self.flags = flags
        self.condition = condition
        self.outcome = outcome
        self.windowFrom = windowFrom
        self.windowTo = windowTo
        self.reserved = reserved
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    package init?(reading bytes: RawSpan, at offset: Int) {
        guard let identifier = bytes.uint32(at: offset),
            let flags = bytes.uint32(at: offset + 4),
            let condition = bytes.uint32(at: offset + 8),
            let outcome = bytes.uint32(at: offset + 12),
            let windowFrom = bytes.int64(at: offset + 16),
            let windowTo = bytes.int64(at: offset + 24),
            let reserved = bytes.uint64(at: offset + 32)
        else { return nil }
        self.identifier = EntryReference(identifier)
        self.flags = flags
        self.condition = EntryReference(condition)
        self.outcome = EntryReference(outcome)
        self.windowFrom = windowFrom
        self.windowTo = windowTo
        self.reserved = reserved
    }

    /// Writes the entry.
    package func write(to buffer: inout ByteBuffer) {
        buffer.append(identifier.number)
        buffer.append(flags)
        buffer.append(condition.number)
        buffer.append(outcome.number)
        buffer.append(windowFrom)
        buffer.append(windowTo)
        buffer.append(reserved)
    }
}
