public import System

/// An entry of `products`, in the order of the source.
public struct ProductRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 8 }

    /// A string.
    public var productId: EntryReference
    /// Its subscription group, a string, or none.
    public var group: EntryReference

    /// Makes an entry.
    public init(
        productId: EntryReference,
        group: EntryReference
    ) {
        self.productId = productId
        self.group = group
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [1 of UInt64] = bytes.words(at: offset) else { return nil }
        productId = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        group = EntryReference(UInt32(truncatingIfNeeded: words[0] >> 32))
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(productId.number)
        buffer.append(group.number)
    }
}
