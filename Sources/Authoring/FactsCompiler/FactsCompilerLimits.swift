internal import DataFiles

/// The limits of a table of facts and of its schema.
public enum FactsCompilerLimits {
    /// The longest schema, in bytes. A rules source may serve as the schema.
    public static let schemaByteCount = 16 << 20
    /// The deepest nesting of a schema, and of the JSON members that the reader skips.
    public static let depth = 64
    /// The longest row in bytes, without the line's end.
    public static let rowByteCount = 1 << 20
    /// The longest text of one value, in bytes. It is the longest text that rules compare.
    public static let stringByteCount = DataFileLimits.factStringByteCount
    /// The longest name of a fact, in bytes. Rules have the same limit.
    public static let nameByteCount = 128
    /// The most findings of one run. An author with more findings repairs these first.
    public static let findingCount = 100
    /// The number of rows that are shown of those that were left out.
    public static let shownRowCount = 5
    /// The number of bytes that are read at a time.
    public static let blockByteCount = 1 << 20
    /// The most names of columns without a fact that the compiler reports.
    public static let ignoredCount = 100
}
