/// An entry of `arms`. The arms of one rule stand together, in the order of their ranges.
public struct ArmRecord: FileRecord {
    /// The name of the arm, a string.
    public var name = EntryReference.none
    /// The arm's outcome, in `outcomes`.
    public var outcome = EntryReference.none
    /// The first bucket after the arm's own. The next arm begins with it.
    public var end: UInt32 = 0
    /// Zero.
    public var reserved: UInt32 = 0

    public init() {}
}
