/// An entry of `testFacts`: one fact of a test's subscriber.
public struct TestFactRecord: FileRecord {
    /// The number of the ``Fact``, a declared one.
    public var fact: UInt16 = 0
    /// The raw value of the fact's ``ValueKind``.
    public var valueKind: UInt8 = 0
    /// Reserved: zero.
    public var reserved: UInt8 = 0
    /// The value if it is a string, else none.
    public var string = EntryReference.none
    /// The value if it is not a string, as in ``NumberRecord``; else zero.
    public var number: Int64 = 0

    /// Makes an entry whose numbers are zero and whose references are none.
    public init() {}
}
