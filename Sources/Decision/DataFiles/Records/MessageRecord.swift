/// An entry of `messages`, in the order of the source.
public struct MessageRecord: FileRecord {
    /// The name in the source, a string.
    public var name = EntryReference.none
    /// A ``MessageKind``.
    public var kind: UInt16 = 0
    /// Bits of ``MessageFlags``.
    public var flags: UInt16 = 0
    /// The first of its entries in `messageIdentifiers`.
    public var firstIdentifier = EntryReference.none
    /// How many there are; at least one.
    public var identifierCount: UInt32 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
