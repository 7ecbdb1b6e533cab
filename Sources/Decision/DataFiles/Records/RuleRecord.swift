public import System

/// An entry of `rules`, in the order of evaluation.
public struct RuleRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 40 }

    /// The rule's id, a string.
    public var identifier: EntryReference
    /// Bits of ``RuleFlags``.
    public var flags: UInt32
    /// The root of its `when` in `conditions`, or none: always.
    public var condition: EntryReference
    /// What it serves, in `outcomes`; none when it has arms.
    public var outcome: EntryReference
    /// The first millisecond of its window; the least number when it has no beginning.
    public var windowFrom: Int64
    /// The first millisecond after its window; the greatest number when it has no end.
    public var windowTo: Int64
    /// The first of its entries in `terms`, behind the one of its head; zero before format 1.2.
    public var firstTerm: UInt32
    /// How many there are; zero before format 1.2.
    public var termCount: UInt32

    /// Makes an entry.
    public init(
        identifier: EntryReference,
        flags: UInt32,
        condition: EntryReference,
        outcome: EntryReference,
        windowFrom: Int64,
        windowTo: Int64,
        firstTerm: UInt32 = 0,
        termCount: UInt32 = 0
    ) {
        self.identifier = identifier
        self.flags = flags
        self.condition = condition
        self.outcome = outcome
        self.windowFrom = windowFrom
        self.windowTo = windowTo
        self.firstTerm = firstTerm
        self.termCount = termCount
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [5 of UInt64] = bytes.words(at: offset) else { return nil }
        identifier = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        flags = UInt32(truncatingIfNeeded: words[0] >> 32)
        condition = EntryReference(UInt32(truncatingIfNeeded: words[1]))
        outcome = EntryReference(UInt32(truncatingIfNeeded: words[1] >> 32))
        windowFrom = Int64(bitPattern: words[2])
        windowTo = Int64(bitPattern: words[3])
        firstTerm = UInt32(truncatingIfNeeded: words[4])
        termCount = UInt32(truncatingIfNeeded: words[4] >> 32)
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(identifier.number)
        buffer.append(flags)
        buffer.append(condition.number)
        buffer.append(outcome.number)
        buffer.append(windowFrom)
        buffer.append(windowTo)
        buffer.append(firstTerm)
        buffer.append(termCount)
    }
}
