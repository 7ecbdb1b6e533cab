/// The one entry of `holdout`, if any: who is kept out of all rules.
public struct HoldoutRecord: FileRecord {
    /// Which subscribers, in `splits`.
    public var split = EntryReference.none
    /// What they get, in `outcomes`.
    public var outcome = EntryReference.none
    /// The first millisecond at which nobody is kept out; the greatest number when it has no end.
    public var until: Int64 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
