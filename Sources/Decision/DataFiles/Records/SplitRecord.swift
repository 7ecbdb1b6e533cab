/// An entry of `splits`: who is in and who is not, or which arm one gets.
public struct SplitRecord: FileRecord {
    /// A string.
    public var salt = EntryReference.none
    /// The ``Fact`` whose string is hashed.
    public var unit: UInt32 = 0
    /// How many of 10000 buckets are in; 10000 where arms share them.
    public var basisPoints: UInt32 = 0
    /// Zero.
    public var reserved: UInt32 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
