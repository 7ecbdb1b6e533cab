internal import System

/// An entry of `messages`, in the order of the source.
package struct MessageRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable package static var byteCount: Int { 16 }

    /// The name in the source, a string.
    package var name: EntryReference
    /// A ``MessageKind``.
    package var kind: UInt32
    /// The first of its entries in `messageIdentifiers`.
    package var firstIdentifier: EntryReference
    /// How many there are; at least one.
    package var identifierCount: UInt32

    /// Makes an entry.
    package init(
        name: EntryReference,
        kind: UInt32,
        firstIdentifier: EntryReference,
        identifierCount: UInt32
    ) {
        self.name = name
        self.kind = kind
        self.firstIdentifier = firstIdentifier
        self.identifierCount = identifierCount
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    package init?(reading bytes: RawSpan, at offset: Int) {
        guard let name = bytes.uint32(at: offset),
            let kind = bytes.uint32(at: offset + 4),
            let firstIdentifier = bytes.uint32(at: offset + 8),
            let identifierCount = bytes.uint32(at: offset + 12)
        else { return nil }
        self.name = EntryReference(name)
        self.kind = kind
        self.firstIdentifier = EntryReference(firstIdentifier)
        self.identifierCount = identifierCount
    }

    /// Writes the entry.
    package func write(to buffer: inout ByteBuffer) {
        buffer.append(name.number)
        buffer.append(kind)
        buffer.append(firstIdentifier.number)
        buffer.append(identifierCount)
    }
}
