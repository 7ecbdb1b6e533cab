/// An entry of `ruleSteps`: what a rule asks for beside its condition. Entry N belongs to rule N.
public struct RuleStepsRecord: FileRecord {
    /// Which share of the subscribers it takes, in `splits`, or none: all.
    public var rollout = EntryReference.none
    /// How its arms share the subscribers, in `splits`, or none: it has no arms.
    public var variants = EntryReference.none
    /// The first of its entries in `arms`, or none.
    public var firstArm = EntryReference.none
    /// How many there are.
    public var armCount: UInt32 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
