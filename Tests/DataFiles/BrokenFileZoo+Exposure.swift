import DataFiles
import Support

/// Damages every field of splits, arms, holdout, caps and embedded tests in turn.
extension BrokenFileZoo {
    static let exposure = splits + steps + arms + holdoutAndCaps

    /// Split 0 is the holdout's, split 1 a rollout's, and split 2 that of its arms.
    private static let splits = [
        Damage("salt absent", .splits, at: 0, .absent, "bad-reference"),
        Damage("no salt", .splits, at: 16, .none, "bad-reference"),
        Damage("no unit", .splits, at: 4, .u32(0), "bad-reference"),
        Damage("unit that is not a string", .splits, at: 4, .u32(6), "bad-reference"),
        Damage("declared unit that is not a string", .splits, at: 32 + 4, .u32(257), "bad-reference"),
        Damage("unit that is not declared", .splits, at: 32 + 4, .u32(260), "bad-reference"),
        Damage("unit beyond all facts", .splits, at: 4, .u32(65_537), "bad-reference"),
        Damage("rollout to more than everyone", .splits, at: 8, .u32(10_001), "bad-value"),
        Damage("arms that do not take everyone", .splits, at: 32 + 8, .u32(9999), "bad-value"),
        Damage("reserved in a split", .splits, at: 12, .u32(1), "bad-value"),
    ]

    /// Entries have 16 bytes. The third entry is that of the rule with rollout and arms.
    private static let steps = [
        Damage("rollout by another split", .ruleSteps, at: 32, .u32(0), "bad-reference"),
        Damage("rollout by an absent split", .ruleSteps, at: 32, .absent, "bad-reference"),
        Damage("rollout left out", .ruleSteps, at: 32, .none, "bad-reference"),
        Damage("rollout of a rule without a rollout", .ruleSteps, at: 0, .u32(1), "bad-reference"),
        Damage("variants by the split of the rollout", .ruleSteps, at: 36, .u32(1), "bad-reference"),
        Damage("arms without variants", .ruleSteps, at: 36, .none, "bad-reference"),
        Damage("variants without arms", .ruleSteps, at: 4, .u32(1), "bad-value"),
        Damage("arms skipped", .ruleSteps, at: 40, .u32(1), "bad-reference"),
        Damage("first arm of a rule without arms", .ruleSteps, at: 8, .u32(0), "bad-reference"),
        Damage("number of arms of a rule without arms", .ruleSteps, at: 12, .u32(1), "bad-reference"),
        Damage("no arms", .ruleSteps, at: 44, .u32(0), "bad-reference"),
        Damage("arms beyond the end", .ruleSteps, at: 44, .u32(3), "bad-reference"),
        Damage("outcome beside arms", .rules, at: 2 * 40 + 12, .u32(0), "bad-reference"),
    ]

    private static let arms = [
        Damage("arm name absent", .arms, at: 0, .absent, "bad-reference"),
        Damage("arm named twice", .arms, at: 16, .string("switch"), "bad-value"),
        Damage("arm outcome absent", .arms, at: 4, .absent, "bad-reference"),
        Damage("arm without outcome", .arms, at: 4, .none, "bad-reference"),
        Damage("arm without buckets", .arms, at: 8, .u32(0), "bad-value"),
        Damage("all buckets before the last arm", .arms, at: 8, .u32(10_000), "bad-value"),
        Damage("buckets left over", .arms, at: 16 + 8, .u32(9999), "bad-value"),
        Damage("buckets beyond the end", .arms, at: 16 + 8, .u32(10_001), "bad-value"),
        Damage("arm that ends before it begins", .arms, at: 16 + 8, .u32(4000), "bad-value"),
        Damage("reserved in an arm", .arms, at: 12, .u32(1), "bad-value"),
    ]

    private static let holdoutAndCaps = [
        Damage("holdout by another split", .holdout, at: 0, .u32(1), "bad-reference"),
        Damage("holdout without split", .holdout, at: 0, .none, "bad-reference"),
        Damage("holdout outcome absent", .holdout, at: 4, .absent, "bad-reference"),
        Damage("holdout of a switch", .holdout, at: 4, .u32(2), "bad-reference"),
        Damage("holdout until before all years", .holdout, at: 8, .i64(.min), "bad-value"),
        Damage("unknown caps flag", .caps, at: 0, .u32(2), "unknown-feature"),
        Damage("caps by a count that is not an integer", .caps, at: 4, .u16(256), "bad-reference"),
        Damage("caps by a fact that is built in", .caps, at: 4, .u16(8), "bad-reference"),
        Damage("caps by a fact that is not declared", .caps, at: 4, .u16(300), "bad-reference"),
        Damage("caps by a date that is not a date", .caps, at: 6, .u16(257), "bad-reference"),
        Damage("caps by the fact `now`", .caps, at: 6, .u16(6), "bad-reference"),
        Damage("negative number of offers", .caps, at: 8, .i64(-2), "bad-value"),
        Damage("negative number of days", .caps, at: 16, .i64(-2), "bad-value"),
        Damage("more days than the limit", .caps, at: 16, .i64(.max), "bad-value"),
    ]

    /// The second entry is a test without a record of the subscriber.
    static let tests = [
        Damage("test name absent", .tests, at: 0, .absent, "bad-reference"),
        Damage("test without product", .tests, at: 4, .none, "bad-reference"),
        Damage("test without locale", .tests, at: 8, .none, "bad-reference"),
        Damage("test without subscriber", .tests, at: 12, .none, "bad-reference"),
        Damage("test before all years", .tests, at: 16, .i64(.min), "bad-value"),
        Damage("test with facts of negative age", .tests, at: 24, .i64(-1), "bad-value"),
        Damage("unknown test flag", .tests, at: 32, .u32(17), "unknown-feature"),
        Damage("test that expects a rule and none", .tests, at: 32, .u32(9), "bad-value"),
        Damage("test that expects the default and none", .tests, at: 64 + 32, .u32(12), "bad-value"),
        Damage("test of an absent rule", .tests, at: 36, .absent, "bad-reference"),
        Damage("test of an absent arm", .tests, at: 40, .absent, "bad-reference"),
        Damage("test of an absent message", .tests, at: 44, .absent, "bad-reference"),
        Damage("test of an absent reason", .tests, at: 48, .absent, "bad-reference"),
        Damage("facts skipped", .tests, at: 52, .u32(1), "bad-reference"),
        Damage("facts beyond the end", .tests, at: 56, .u32(5), "bad-reference"),
        Damage("facts left over", .tests, at: 56, .u32(3), "bad-reference"),
        Damage("facts without a record", .tests, at: 32, .u32(0), "bad-reference"),
        Damage("reserved in a test", .tests, at: 60, .u32(1), "bad-value"),
        Damage("fact that is built in", .testFacts, at: 0, .u16(8), "bad-reference"),
        Damage("fact that no rule declares", .testFacts, at: 0, .u16(260), "bad-reference"),
        Damage("fact twice", .testFacts, at: 16, .u16(257), "bad-value"),
        Damage("fact of another kind", .testFacts, at: 2, .u8(2), "bad-value"),
        Damage("reserved in a fact", .testFacts, at: 3, .u8(1), "bad-value"),
        Damage("number with a string", .testFacts, at: 4, .u32(0), "bad-reference"),
        Damage("string absent from a fact", .testFacts, at: 16 + 4, .absent, "bad-reference"),
        Damage("string with a number in a fact", .testFacts, at: 16 + 8, .i64(1), "bad-value"),
        Damage("boolean value 2", .testFacts, at: 32 + 8, .i64(2), "bad-value"),
        Damage("date of a fact after all years", .testFacts, at: 48 + 8, .i64(.max), "bad-value"),
    ]
}
