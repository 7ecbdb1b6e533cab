/// An entry of `numberLists`: one operand of a list that is no string; those of one list stand together, ascending,
/// without repetition, or are the two ends of a range.
public struct NumberRecord: FileRecord {
    /// An integer, number since 1970, or 0 and 1 for false and true.
    public var number: Int64 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
