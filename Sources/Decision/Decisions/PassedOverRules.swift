internal import DataFiles

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
