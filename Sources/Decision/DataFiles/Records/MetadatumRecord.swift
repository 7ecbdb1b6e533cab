internal import System

/// An entry of `metadata`, in the order of the source.
package struct MetadatumRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable package static var byteCount: Int { 8 }

    /// A string.
    package var key: EntryReference
    /// A string.
    package var value: EntryReference

    /// Makes an entry.
    package init(
        key: EntryReference,
        value: EntryReference
    ) {
        self.key = key
        self.value = value
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    package init?(reading bytes: RawSpan, at offset: Int) {
        guard let key = bytes.uint32(at: offset),
            let value = bytes.uint32(at: offset + 4)
        else { return nil }
        self.key = EntryReference(key)
        self.value = EntryReference(value)
    }

    /// Writes the entry.
    package func write(to buffer: inout ByteBuffer) {
        buffer.append(key.number)
        buffer.append(value.number)
    }
}
