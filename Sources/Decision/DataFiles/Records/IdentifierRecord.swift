/// An entry of `messageIdentifiers`. The identifiers of one message stand together, in the order of `locale`.
public struct IdentifierRecord: FileRecord {
    /// The locale, a string.
    public var locale = EntryReference.none
    /// Bits of ``IdentifierFlags``.
    public var flags: UInt32 = 0
    /// The first eight bytes of the identifier, as a big-endian number.
    public var high: UInt64 = 0
    /// The last eight bytes of the identifier, as a big-endian number.
    public var low: UInt64 = 0

    public init() {}
}
