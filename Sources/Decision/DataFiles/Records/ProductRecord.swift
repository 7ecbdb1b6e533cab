/// An entry of `products`, in the order of the source.
public struct ProductRecord: FileRecord {
    /// The productId, a string.
    public var productId = EntryReference.none
    /// The subscription group of the product, a string, or none.
    public var group = EntryReference.none

    /// Makes an entry whose numbers are zero and whose references are none.
    public init() {}
}
