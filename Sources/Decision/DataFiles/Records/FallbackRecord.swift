public import System

/// An entry of `localeFallbacks`, in the order of `locale`.
public struct FallbackRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 8 }

    /// The locale asked for, a string.
    public var locale: EntryReference
    /// The locale to try next, a string.
    public var fallback: EntryReference

    /// Makes an entry.
    public init(
        locale: EntryReference,
        fallback: EntryReference
    ) {
        self.locale = locale
        self.fallback = fallback
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [1 of UInt64] = bytes.words(at: offset) else { return nil }
        locale = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        fallback = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(locale.number)
        buffer.append(fallback.number)
    }
}
