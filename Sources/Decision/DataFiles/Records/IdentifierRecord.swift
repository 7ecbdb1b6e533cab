public import System

/// An entry of `messageIdentifiers`; those of one message stand together, in the order of `locale`.
public struct IdentifierRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 24 }

    /// A string.
    public var locale: EntryReference
    /// Bits of ``IdentifierFlags``.
    public var flags: UInt32
    /// The first eight bytes of the identifier, as a big-endian number.
    public var high: UInt64
    /// The last eight bytes.
    public var low: UInt64

    /// Makes an entry.
    public init(
        locale: EntryReference,
        flags: UInt32,
        high: UInt64,
        low: UInt64
    ) {
        self.locale = locale
        self.flags = flags
        self.high = high
        self.low = low
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [3 of UInt64] = bytes.words(at: offset) else { return nil }
        locale = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        flags = UInt32(truncatingIfNeeded: words[0] >> 32)
        high = words[1]
        low = words[2]
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(locale.number)
        buffer.append(flags)
        buffer.append(high)
        buffer.append(low)
    }
}
