public import System

/// An entry of `messages`, in the order of the source.
public struct MessageRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 16 }

    /// The name in the source, a string.
    public var name: EntryReference
    /// A ``MessageKind``.
    public var kind: UInt16
    /// Bits of ``MessageFlags``.
    public var flags: UInt16
    /// The first of its entries in `messageIdentifiers`.
    public var firstIdentifier: EntryReference
    /// How many there are; at least one.
    public var identifierCount: UInt32

    /// Makes an entry.
    public init(
        name: EntryReference,
        kind: UInt16,
        flags: UInt16,
        firstIdentifier: EntryReference,
        identifierCount: UInt32
    ) {
        self.name = name
        self.kind = kind
        self.flags = flags
        self.firstIdentifier = firstIdentifier
        self.identifierCount = identifierCount
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [2 of UInt64] = bytes.words(at: offset) else { return nil }
        name = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        kind = UInt16(truncatingIfNeeded: words[0] >> 32)
        flags = UInt16(truncatingIfNeeded: words[0] >> 48)
        firstIdentifier = EntryReference(UInt32(truncatingIfNeeded: words[1]))
        identifierCount = UInt32(truncatingIfNeeded: words[1] >> 32)
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(name.number)
        buffer.append(kind)
        buffer.append(flags)
        buffer.append(firstIdentifier.number)
        buffer.append(identifierCount)
    }
}
