/// An entry of `products`, in the order of the source.
public struct ProductRecord: FileRecord {
    /// A string.
    public var productId = EntryReference.none
    /// Its subscription group, a string, or none.
    public var group = EntryReference.none

    /// An entry of zeros and of references to nothing.
    public init() {}
}
