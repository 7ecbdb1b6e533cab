/// An entry of `metadata`, in the order of the source.
public struct MetadatumRecord: FileRecord {
    /// The key, a string.
    public var key = EntryReference.none
    /// The value, a string.
    public var value = EntryReference.none

    /// Makes an entry whose numbers are zero and whose references are none.
    public init() {}
}
