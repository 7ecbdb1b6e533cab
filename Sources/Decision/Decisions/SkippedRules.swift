/// How many rules a decision passed over, by the step that failed; the default counts as well. A false condition is
/// not counted: that is what most rules do. Nor is any step of a rule that cannot match for the product.
public struct SkippedRules: Sendable, Hashable {
    /// Switched off.
    public internal(set) var disabled: UInt32 = 0
    /// Before or after their window.
    public internal(set) var outsideWindow: UInt32 = 0
    /// A fact was missing, so that the condition is neither true nor false.
    public internal(set) var unknownCondition: UInt32 = 0
    /// Outside the share of the rollout, or without the fact that decides it.
    public internal(set) var notInRollout: UInt32 = 0
    /// Without the fact that decides the arm.
    public internal(set) var noArm: UInt32 = 0
    /// An offer too many, too early, or to one of whom that is not known.
    public internal(set) var capped: UInt32 = 0
    /// The message that would be served is not approved.
    public internal(set) var unapproved: UInt32 = 0
    /// No message in the subscriber's locale or those that stand in for it.
    public internal(set) var noLocale: UInt32 = 0
    /// Cannot be signed.
    public internal(set) var signFailed: UInt32 = 0

    /// None.
    public init() {}

    /// Adds those of another decision.
    public static func += (sum: inout SkippedRules, more: SkippedRules) {
        sum.disabled &+= more.disabled
        sum.outsideWindow &+= more.outsideWindow
        sum.unknownCondition &+= more.unknownCondition
        sum.notInRollout &+= more.notInRollout
        sum.noArm &+= more.noArm
        sum.capped &+= more.capped
        sum.unapproved &+= more.unapproved
        sum.noLocale &+= more.noLocale
        sum.signFailed &+= more.signFailed
    }
}
