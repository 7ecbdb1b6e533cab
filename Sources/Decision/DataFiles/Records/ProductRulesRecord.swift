/// An entry of `productRules`: the rules that may match for a product. The first entry has the rules that may match for
/// any product; the others follow in the order of `productId`.
public struct ProductRulesRecord: FileRecord {
    /// The productId, a string; none in the first entry.
    public var productId = EntryReference.none
    /// The first of the entry's rules in `ruleLists`.
    public var first: UInt32 = 0
    public var count: UInt32 = 0
    /// Reserved: zero.
    public var reserved: UInt32 = 0

    public init() {}
}
