internal import System

/// An entry of `outcomes`, without repetition.
package struct OutcomeRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable package static var byteCount: Int { 16 }

    /// An ``OutcomeKind``.
    package var kind: UInt32
    /// The message to show, or none.
    package var message: EntryReference
    /// Ones, twice "none"; later what switches and offers name.
    package var reserved: UInt64

    /// Makes an entry.
    package init(
        kind: UInt32,
        message: EntryReference,
        reserved: UInt64 = 0
    ) {
        self.kind = kind
        self.message = message
        self.reserved = reserved
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    package init?(reading bytes: RawSpan, at offset: Int) {
        guard let kind = bytes.uint32(at: offset),
            let message = bytes.uint32(at: offset + 4),
            let reserved = bytes.uint64(at: offset + 8)
        else { return nil }
        self.kind = kind
        self.message = EntryReference(message)
        self.reserved = reserved
    }

    /// Writes the entry.
    package func write(to buffer: inout ByteBuffer) {
        buffer.append(kind)
        buffer.append(message.number)
        buffer.append(reserved)
    }
}
