/// An entry of `factDeclarations`, in the order of the source.
public struct FactDeclarationRecord: FileRecord {
    /// The name of the fact, a string.
    public var name = EntryReference.none
    /// The raw value of the ``ValueKind``.
    public var kind: UInt32 = 0

    public init() {}
}
