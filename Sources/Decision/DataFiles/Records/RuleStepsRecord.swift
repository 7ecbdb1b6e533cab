/// An entry of `ruleSteps`: the rollout and the arms of a rule. Entry N belongs to rule N.
public struct RuleStepsRecord: FileRecord {
    /// The rollout, in `splits`; none when the rule is for all subscribers.
    public var rollout = EntryReference.none
    /// The split that divides the subscribers among the arms, in `splits`; none when the rule has no arms.
    public var variants = EntryReference.none
    /// The first of the rule's entries in `arms`, or none.
    public var firstArm = EntryReference.none
    /// The number of these entries.
    public var armCount: UInt32 = 0

    public init() {}
}
