/// An entry of `metadata`, in the order of the source.
public struct MetadatumRecord: FileRecord {
    /// A string.
    public var key = EntryReference.none
    /// A string.
    public var value = EntryReference.none

    /// An entry of zeros and of references to nothing.
    public init() {}
}
