/// An entry of `numberLists`: one operand that is not a string. The operands of a list stand together, ascending,
/// without repetition. The operands of `between` are the two ends of the range.
public struct NumberRecord: FileRecord {
    /// An integer, a date in milliseconds since 1970, or 0 and 1 for false and true.
    public var number: Int64 = 0

    public init() {}
}
