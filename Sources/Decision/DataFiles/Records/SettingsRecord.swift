/// The only entry of `settings`: whom the file serves, and the settings of the whole file.
public struct SettingsRecord: FileRecord {
    /// The app that the rules serve, as Apple's number.
    public var appAppleId: Int64 = 0
    /// Bits of ``SettingsFlags``.
    public var flags: UInt32 = 0
    /// The number of the environment that the rules serve.
    var environment: UInt16 = 0
    var reserved: UInt16 = 0
    /// The app's bundle identifier, a string.
    public var bundleId = EntryReference.none
    /// The author's name of this version, a string, or none.
    var revision = EntryReference.none
    /// The locale to try when all others had no message, a string, or none.
    public var lastLocale = EntryReference.none
    /// The outcome when no rule serves, in `outcomes`, or none.
    public var defaultOutcome = EntryReference.none

    public init() {}
}
