/// An entry that is one number of 32 bits: a reference in `stringLists`, `columnLists`, `ruleLists` and
/// `stringBuckets`, a place among the bytes of `strings` in `stringIndex`. The strings of one list stand together, in
/// order, without repetition.
public struct ReferenceRecord: FileRecord {
    /// The reference, of a list of strings the string.
    public var reference = EntryReference.none

    public init() {}
}
