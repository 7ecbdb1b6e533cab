/// An entry of `messages`, in the order of the source.
public struct MessageRecord: FileRecord {
    /// The name in the source, a string.
    public var name = EntryReference.none
    /// The raw value of the ``MessageKind``.
    public var kind: UInt16 = 0
    /// Bits of ``MessageFlags``.
    public var flags: UInt16 = 0
    /// The first of the message's entries in `messageIdentifiers`.
    public var firstIdentifier = EntryReference.none
    /// The number of these entries; at least one.
    public var identifierCount: UInt32 = 0

    public init() {}
}
