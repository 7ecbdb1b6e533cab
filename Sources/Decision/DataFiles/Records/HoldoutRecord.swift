public import System

/// The one entry of `holdout`, if any: who is kept out of all rules.
public struct HoldoutRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 16 }

    /// Which subscribers, in `splits`.
    public var split: EntryReference
    /// What they get, in `outcomes`.
    public var outcome: EntryReference
    /// The first millisecond at which nobody is kept out; the greatest number when it has no end.
    public var until: Int64

    /// Makes an entry.
    public init(
        split: EntryReference,
        outcome: EntryReference,
        until: Int64
    ) {
        self.split = split
        self.outcome = outcome
        self.until = until
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [2 of UInt64] = bytes.words(at: offset) else { return nil }
        split = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        outcome = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
        until = Int64(bitPattern: words[1])
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(split.number)
        buffer.append(outcome.number)
        buffer.append(until)
    }
}
