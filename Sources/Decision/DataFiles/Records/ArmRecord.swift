/// An entry of `arms`; those of one rule stand together, in the order of their ranges.
public struct ArmRecord: FileRecord {
    /// The name, a string.
    public var name = EntryReference.none
    /// What it serves, in `outcomes`.
    public var outcome = EntryReference.none
    /// The first bucket that it does not take any more; the one before ends where it begins.
    public var end: UInt32 = 0
    /// Zero.
    public var reserved: UInt32 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
