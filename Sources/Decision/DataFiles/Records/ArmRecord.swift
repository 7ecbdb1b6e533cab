public import System

/// An entry of `arms`; those of one rule stand together, in the order of their ranges.
public struct ArmRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 16 }

    /// The name, a string.
    public var name: EntryReference
    /// What it serves, in `outcomes`.
    public var outcome: EntryReference
    /// The first bucket that it does not take any more; the one before ends where it begins.
    public var end: UInt32
    /// Zero.
    public var reserved: UInt32

    /// Makes an entry.
    public init(
        name: EntryReference,
        outcome: EntryReference,
        end: UInt32,
        reserved: UInt32 = 0
    ) {
        self.name = name
        self.outcome = outcome
        self.end = end
        self.reserved = reserved
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [2 of UInt64] = bytes.words(at: offset) else { return nil }
        name = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        outcome = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
        end = UInt32(truncatingIfNeeded: words[1])
        reserved = UInt32(truncatingIfNeeded: words[1] >> 32)
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(name.number)
        buffer.append(outcome.number)
        buffer.append(end)
        buffer.append(reserved)
    }
}
