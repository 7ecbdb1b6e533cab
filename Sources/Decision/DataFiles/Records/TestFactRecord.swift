/// An entry of `testFacts`: one fact of a test's subscriber.
public struct TestFactRecord: FileRecord {
    /// The ``Fact``, a declared one.
    public var fact: UInt16 = 0
    /// Its ``ValueKind``.
    public var valueKind: UInt8 = 0
    /// Zero.
    public var reserved: UInt8 = 0
    /// Its value if that is a string, else none.
    public var string = EntryReference.none
    /// Its value if that is no string, as in ``NumberRecord``; else zero.
    public var number: Int64 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
