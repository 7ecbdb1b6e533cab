internal import System

/// An entry of `messageIdentifiers`; those of one message stand together, in the order of `locale`.
package struct IdentifierRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable package static var byteCount: Int { 24 }

    /// A string.
    package var locale: EntryReference
    /// Zero; later the approval state.
    package var state: UInt32
    /// The first eight bytes of the identifier, as a big-endian number.
    package var high: UInt64
    /// The last eight bytes.
    package var low: UInt64

    /// Makes an entry.
    package init(
        locale: EntryReference,
        state: UInt32,
        high: UInt64,
        low: UInt64
    ) {
        self.locale = locale
        self.state = state
        self.high = high
        self.low = low
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    package init?(reading bytes: RawSpan, at offset: Int) {
        guard let locale = bytes.uint32(at: offset),
            let state = bytes.uint32(at: offset + 4),
            let high = bytes.uint64(at: offset + 8),
            let low = bytes.uint64(at: offset + 16)
        else { return nil }
        self.locale = EntryReference(locale)
        self.state = state
        self.high = high
        self.low = low
    }

    /// Writes the entry.
    package func write(to buffer: inout ByteBuffer) {
        buffer.append(locale.number)
        buffer.append(state)
        buffer.append(high)
        buffer.append(low)
    }
}
