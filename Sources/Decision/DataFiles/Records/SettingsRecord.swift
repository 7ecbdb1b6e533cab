/// The one entry of `settings`: what holds for the file as a whole.
public struct SettingsRecord: FileRecord {
    /// Bits of ``SettingsFlags``.
    public var flags: UInt32 = 0
    /// What a reader must be able to do; no bit is known yet, and an unknown one refuses the file.
    public var requiredFeatures: UInt32 = 0
    /// The app's bundle identifier, a string.
    public var bundleId = EntryReference.none
    /// The locale to use when nothing else has a message, a string, or none.
    public var lastLocale = EntryReference.none
    /// The outcome when no rule matches, or none.
    public var defaultOutcome = EntryReference.none
    /// The `format` of the source.
    public var sourceFormat: UInt32 = 0
    /// Zero.
    public var reserved: UInt64 = 0

    /// An entry of zeros and of references to nothing.
    public init() {}
}
