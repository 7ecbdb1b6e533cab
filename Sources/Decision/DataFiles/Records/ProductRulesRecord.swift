/// An entry of `productRules`: the rules that may match for a product. The first one holds those that may match
/// whatever the product is; the others follow in the order of `productId`.
public struct ProductRulesRecord: FileRecord {
    /// A string; none in the first entry.
    public var productId = EntryReference.none
    /// The first of its entries in `ruleLists`.
    public var first: UInt32 = 0
    /// How many there are.
    public var count: UInt32 = 0
    /// Zero.
    public var reserved: UInt32 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
