/// An entry of `factDeclarations`, in the order of the source.
public struct FactDeclarationRecord: FileRecord {
    /// The name, a string.
    public var name = EntryReference.none
    /// A ``ValueKind``.
    public var kind: UInt32 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
