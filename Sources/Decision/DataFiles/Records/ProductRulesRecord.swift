public import System

/// An entry of `productRules`: the rules that may match for a product. The first one holds those that may match
/// whatever the product is; the others follow in the order of `productId`.
public struct ProductRulesRecord: FileRecord, Hashable {
    /// The width in bytes.
    @inlinable public static var byteCount: Int { 16 }

    /// A string; none in the first entry.
    public var productId: EntryReference
    /// The first of its entries in `ruleLists`.
    public var first: UInt32
    /// How many there are.
    public var count: UInt32
    /// Zero.
    public var reserved: UInt32

    /// Makes an entry.
    public init(
        productId: EntryReference,
        first: UInt32,
        count: UInt32,
        reserved: UInt32 = 0
    ) {
        self.productId = productId
        self.first = first
        self.count = count
        self.reserved = reserved
    }

    /// Reads an entry; nil where its bytes are not all inside.
    @inlinable
    @inline(__always)
    public init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [2 of UInt64] = bytes.words(at: offset) else { return nil }
        productId = EntryReference(UInt32(truncatingIfNeeded: words[0]))
        first = UInt32(truncatingIfNeeded: words[0] >> 32)
        count = UInt32(truncatingIfNeeded: words[1])
        reserved = UInt32(truncatingIfNeeded: words[1] >> 32)
    }

    /// Writes the entry.
    public func write(to buffer: inout ByteBuffer) {
        buffer.append(productId.number)
        buffer.append(first)
        buffer.append(count)
        buffer.append(reserved)
    }
}
