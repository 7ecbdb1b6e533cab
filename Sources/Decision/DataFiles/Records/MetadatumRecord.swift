public import System

/// An entry of `metadata`, in the order of the source.
public struct MetadatumRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 8 }

    /// A string.
    public var key: EntryReference
    /// A string.
    public var value: EntryReference

    /// Makes an entry.
    public init(
        key: EntryReference,
        value: EntryReference
    ) {
        self.key = key
        self.value = value
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [1 of UInt64] = bytes.words(at: offset) else { return nil }
        key = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        value = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(key.number)
        buffer.append(value.number)
    }
}
