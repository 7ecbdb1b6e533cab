/// The limits of a data file. They are far above what an app needs, and keep the arithmetic on counts and widths below
/// overflow.
public enum DataFileLimits {
    /// The most sections of a file. Two dozen kinds exist; later versions add some.
    public static let sectionCount = 64
    /// The dates that RFC 3339 can express, in milliseconds since 1970: 0000-01-01 to the end of 9999.
    public static let dateRange: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    /// The most facts that one rules file declares, and the most columns of a facts file. A decision keeps the values
    /// of the facts in storage of fixed size, without an allocation.
    public static let factCount = 64
    /// The most segments of one rules file. A decision keeps their results in storage of fixed size, without an
    /// allocation.
    public static let segmentCount = 256
    /// The number of buckets of a split, which weights and basis points count (retention-rules(5)).
    public static let bucketCount = 10_000
    /// The most days of an age or a cooldown: more than lie between any two dates, and few enough that their
    /// milliseconds fit in 64 bits.
    public static let dayCount: Int64 = 3_660_000
    /// The most rules. Each request may try them one after the other.
    public static let ruleCount = 10_000
    /// The most conditions of all rules together. A segment counts at each place that names it.
    public static let conditionCount = 100_000
    /// The most fallbacks that lead from one locale to the last one. Each rule may search for its message in all of them.
    public static let fallbackStepCount = 16
    /// The most products of one condition that are told apart. A condition with more may match for any product: the index of rules
    /// would hold the rule once for each of its products.
    public static let indexedProductCount = 512
    /// The most steps in which the products of all conditions are found. They take a second at most.
    public static let productStepCount = 4_000_000
    /// The longest string of a facts file, in bytes; rules compare with strings of at most this length. A decision may
    /// hash such a string for each rollout and each set of arms that it draws.
    public static let factStringByteCount = 1_024
    /// How deep `all`, `any` and `not` may nest (retention-rules(5)). A predicate may stand one level below.
    public static let conditionDepth = 8
}
