/// The bounds of a data file. They are generous beside what an app needs and keep every product below overflow.
public enum DataFileLimits {
    /// A rules file is kilobytes; the daemon's own limit (`rulesBytes`) is lower.
    public static let rulesByteCount = 1 << 30
    /// Ten kinds exist; later versions add some.
    public static let sectionCount = 64
    /// Entries of one section: references are 32 bits wide and the last one means "none".
    public static let entryCount = 1 << 24
    /// The dates that RFC 3339 can express, in milliseconds since 1970: 0000-01-01 to the end of 9999.
    public static let dateRange: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    /// `all`, `any` and `not` nest this deep (rules.md section 2); a predicate may stand one below.
    public static let conditionDepth = 8
}
