/// The only entry of `holdout`, if there is one: the subscribers that no rule serves.
public struct HoldoutRecord: FileRecord {
    /// The share of the subscribers that is held out, in `splits`.
    public var split = EntryReference.none
    /// The outcome for held-out subscribers, in `outcomes`.
    public var outcome = EntryReference.none
    /// The first millisecond since 1970 at which nobody is held out any more; the greatest number when the holdout has
    /// no end.
    public var until: Int64 = 0

    public init() {}
}
