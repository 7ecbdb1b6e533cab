/// The limits of a catalogue that are not Apple's. Apple's are in `RetentionMessagingLimits`.
public enum CatalogueLimits {
    /// The longest catalogue in bytes: 2,000 messages with their texts need about 2 MiB.
    public static let sourceByteCount = 16 << 20
    /// The deepest nesting of the JSON text. The deepest value, a bullet point's text, lies at depth 6.
    public static let jsonDepth = 16
    /// The most locales; the App Store has 50.
    public static let localeCount = 200
    /// The most products. App Store Connect allows 10,000 products per app.
    public static let productCount = 10_000
    /// The most names of images or messages that are read. Apple allows 2,000 of each per app, and counts each locale of a
    /// message.
    public static let nameCount = 10_000
    /// The most bullet points that are read in one text; Apple allows 5.
    public static let bulletPointCount = 100
    /// The longest name of an image or a message, in bytes. Message names stand in log lines, as those of rules.
    public static let nameByteCount = 128
    /// The longest product identifier, in bytes. Product identifiers have at most 255 characters.
    public static let productByteCount = 255
    /// The longest bundle identifier, in bytes, the limit of App Store Connect.
    public static let bundleIdByteCount = 155
    /// The longest other string that is read, in bytes: group, path of a file.
    public static let stringByteCount = 1_024
    /// The greatest revision.
    public static let revision: Int64 = 1_000_000
    /// The longest PNG file that is read, in bytes. It only keeps a wrong file from filling the memory.
    public static let imageByteCount = 64 << 20
    /// The length of a PNG file above which lint warns, in bytes. Apple states no limit; one public client refuses longer
    /// files by itself.
    public static let imageWarningByteCount = 20 << 20
    /// The most findings that one run lists. An author with more findings corrects these first.
    public static let findingCount = 100
    /// The longest journal that is read, in bytes. Setting 1,000 default messages adds about 400 KiB.
    public static let journalByteCount = 64 << 20
    /// The length in bytes above which a journal is replaced by a shorter one with the same knowledge.
    public static let journalCompactionByteCount = 4 << 20
}
