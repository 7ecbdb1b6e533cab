internal import System

/// An entry of `localeFallbacks`, in the order of `locale`.
package struct FallbackRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable package static var byteCount: Int { 8 }

    /// The locale asked for, a string.
    package var locale: EntryReference
    /// The locale to try next, a string.
    package var fallback: EntryReference

    /// Makes an entry.
    package init(
        locale: EntryReference,
        fallback: EntryReference
    ) {
        self.locale = locale
        self.fallback = fallback
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    package init?(reading bytes: RawSpan, at offset: Int) {
        guard let locale = bytes.uint32(at: offset),
            let fallback = bytes.uint32(at: offset + 4)
        else { return nil }
        self.locale = EntryReference(locale)
        self.fallback = EntryReference(fallback)
    }

    /// Writes the entry.
    package func write(to buffer: inout ByteBuffer) {
        buffer.append(locale.number)
        buffer.append(fallback.number)
    }
}
