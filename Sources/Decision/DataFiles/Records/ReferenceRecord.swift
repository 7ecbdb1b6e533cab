/// An entry of `stringLists`: one string of a list; those of one list stand together, in order, without repetition.
public struct ReferenceRecord: FileRecord {
    /// The string.
    public var reference = EntryReference.none

    /// An entry of zeros and of references to nothing.
    public init() {}
}
