internal import System

/// An entry of `stringLists`: one string of a list; those of one list stand together, in order, without repetition.
package struct ReferenceRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable package static var byteCount: Int { 4 }

    /// The string.
    package var reference: EntryReference

    /// Makes an entry.
    package init(reference: EntryReference) {
        self.reference = reference
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    package init?(reading bytes: RawSpan, at offset: Int) {
        guard let number = bytes.uint32(at: offset) else { return nil }
        reference = EntryReference(number)
    }

    /// Writes the entry.
    package func write(to buffer: inout ByteBuffer) {
        buffer.append(reference.number)
    }
}
