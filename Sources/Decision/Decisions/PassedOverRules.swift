internal import DataFiles

/// How many rules a decision passed over, by the step that failed; the default counts like a rule. A rule whose
/// condition is false is not counted, because that is the case for most rules. Neither is a rule that cannot match for
/// the product.
public struct SkippedRules: Sendable, Hashable {
    /// Rules that are switched off.
    public internal(set) var disabled: UInt32 = 0
    /// Rules that are before or after their window.
    public internal(set) var outsideWindow: UInt32 = 0
    /// Rules whose condition is neither true nor false because a fact is missing.
    public internal(set) var unknownCondition: UInt32 = 0
    /// Rules whose rollout leaves the subscriber out, or depends on a missing fact.
    public internal(set) var notInRollout: UInt32 = 0
    /// Rules whose arm could not be drawn because a fact is missing.
    public internal(set) var noArm: UInt32 = 0
    /// Rules whose offer the caps forbade: too many offers, too soon after the last one, or not known.
    public internal(set) var capped: UInt32 = 0
    /// Rules whose message Apple has not approved.
    public internal(set) var unapproved: UInt32 = 0
    /// Rules whose message exists neither in the subscriber's locale nor in a fallback.
    public internal(set) var noLocale: UInt32 = 0
    /// Rules whose outcome the service cannot sign.
    public internal(set) var signFailed: UInt32 = 0

    public init() {}

    /// Adds the counts of another decision.
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

/// The rules whose condition was true or unknown in one decision, and that failed a later step. A caller that counts them
/// by rule makes one list and passes it to each decision; the list is empty when the decision begins.
///
/// Rules that are switched off or outside their window are not in the list: that is known from the file, and a decision
/// passes over thousands of them without looking at them one by one. ``SkippedRules`` counts these, too.
public final class PassedOverRules {
    /// The numbers of the rules, counted from 0, in their order. None is there twice.
    public private(set) var rules: [UInt32] = []

    /// Makes a list with room for the rules of a file, so that no decision allocates memory.
    public init(ruleCountLimit: Int) {
        rules.reserveCapacity(ruleCountLimit)
    }

    func begin() {
        rules.removeAll(keepingCapacity: true)
    }

    func append(_ rule: Int) {
        // Beyond the limit, the list would have to grow.
        guard rules.count < rules.capacity else { return }
        rules.append(UInt32(truncatingIfNeeded: rule))
    }
}
