/// The only entry of `settings`: the settings of the whole file.
public struct SettingsRecord: FileRecord {
    /// Bits of ``SettingsFlags``.
    public var flags: UInt32 = 0
    /// Features that a reader must have. No bit is known yet, and readers refuse a file with any bit set.
    public var requiredFeatures: UInt32 = 0
    /// The app's bundle identifier, a string.
    public var bundleId = EntryReference.none
    /// The locale to try when all others had no message, a string, or none.
    public var lastLocale = EntryReference.none
    /// The outcome when no rule serves, in `outcomes`, or none.
    public var defaultOutcome = EntryReference.none
    /// The `format` of the source: 1.
    public var sourceFormat: UInt32 = 0
    /// Reserved: zero.
    public var reserved: UInt64 = 0

    /// Makes an entry whose numbers are zero and whose references are none.
    public init() {}
}
