/// An entry of `splits`: a way to split the subscribers by a hash, into those who are in and the others, or among arms.
public struct SplitRecord: FileRecord {
    /// The salt of the hash, a string.
    public var salt = EntryReference.none
    /// The number of the ``Fact`` whose string is hashed.
    public var unit: UInt32 = 0
    /// How many of the 10000 buckets are in; 10000 where arms share the buckets.
    public var basisPoints: UInt32 = 0
    /// Reserved: zero.
    public var reserved: UInt32 = 0

    public init() {}
}
