/// The bounds of a data file. They are generous beside what an app needs and keep every product below overflow.
public enum DataFileLimits {
    /// A rules file is kilobytes; the daemon's own limit (`rulesBytes`) is lower.
    public static let rulesByteCount = 1 << 30
    /// Two dozen kinds exist; later versions add some.
    public static let sectionCount = 64
    /// Entries of one section: references are 32 bits wide and the last one means "none".
    public static let entryCount = 1 << 24
    /// The dates that RFC 3339 can express, in milliseconds since 1970: 0000-01-01 to the end of 9999.
    public static let dateRange: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    /// Facts that one rules file declares: a binding to a facts file is held in line.
    public static let factCount = 64
    /// Segments of one rules file: what came of them in a decision is held in line.
    public static let segmentCount = 256
    /// Buckets of a split (rules.md section 2); weights and basis points count them.
    public static let bucketCount = 10_000
    /// Days in an age or a cooldown: more than lie between any two dates, and milliseconds of it fit.
    public static let dayCount: Int64 = 3_660_000
    /// A rule that may match for more products than this is looked at for every product: it would stand in the index
    /// as often, and 20,000 such rules must stay below ``entryCount``.
    public static let indexedProductCount = 512
    /// The steps of one decision, see ``DecisionCost``: 5 milliseconds where the App Store waits 700 for the answer.
    public static let decisionStepCount = 1_000_000
    /// The steps of all embedded tests of a file, each as costly as the costliest decision: 5 seconds of a load, during
    /// which the workers go on with what they have.
    public static let testsStepCount = 1_000_000_000
    /// The buckets that are passed over for each string on the average, while a file's strings are entered by their
    /// hash. One or two are usual, also where names differ in their last characters alone; hundreds are made by one who
    /// chose strings for their hashes.
    public static let passedBucketCount = 1_024
    /// The longest string of a facts file in bytes, as rules compare at most. A decision may hash it for each share and
    /// each arm that it draws.
    public static let factStringByteCount = 1_024
    /// `all`, `any` and `not` nest this deep (rules.md section 2); a predicate may stand one below.
    public static let conditionDepth = 8
}
