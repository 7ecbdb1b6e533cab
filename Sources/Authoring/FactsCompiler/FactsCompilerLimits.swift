internal import DataFiles

/// The bounds of a table of facts.
public enum FactsCompilerLimits {
    /// The longest schema in bytes: a rules file may be one.
    public static let schemaByteCount = 16 << 20
    /// The deepest nesting of a schema, and of members that are passed over.
    public static let depth = 64
    /// The longest row in bytes, without the line's end.
    public static let rowByteCount = 1 << 20
    /// How far apart two quotation marks may be that are taken for those of one field, in a row that is too long anyway:
    /// nobody writes a text of so many bytes, and a mark that is not closed would enclose the rest of the table.
    public static let enclosedByteCount = 16 << 20
    /// How much is kept of a line that is longer than a row may be, in bytes: enough to find it by, since a table may be
    /// one line of gigabytes.
    public static let keptByteCount = 4_096
    /// The longest text of one value in bytes, as rules compare at most.
    public static let stringByteCount = DataFileLimits.factStringByteCount
    /// The longest name of a fact in bytes, as in rules.
    public static let nameByteCount = 128
    /// The most findings of one run; whoever has more repairs these first.
    public static let findingCount = 100
    /// How much is read at a time.
    public static let blockByteCount = 1 << 20
    /// How many names of columns without a fact are told.
    public static let ignoredCount = 100
}
