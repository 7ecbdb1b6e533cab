public import System

/// An entry of `stringLists`: one string of a list; those of one list stand together, in order, without repetition.
public struct ReferenceRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 4 }

    /// The string.
    public var reference: EntryReference

    /// Makes an entry.
    public init(reference: EntryReference) {
        self.reference = reference
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let number = bytes.uint32(at: offset) else { return nil }
        reference = EntryReference(number)
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(reference.number)
    }
}
