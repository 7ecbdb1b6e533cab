/// The limits of a catalogue that are not Apple's. Apple's are in `RetentionMessagingLimits`.
package enum CatalogueLimits {
    /// The longest catalogue in bytes: 2,000 messages with their texts need about 2 MiB.
    package static let sourceByteCount = 16 << 20
    /// The deepest nesting of the JSON text. The deepest value, a bullet point's text, lies at depth 6.
    package static let jsonDepth = 16
    /// The longest name of an image or a message, in bytes. Message names stand in log lines, as those of rules.
    package static let nameByteCount = 128
    /// The longest product identifier, in bytes. Product identifiers have at most 255 characters.
    package static let productByteCount = 255
    /// The longest bundle identifier, in bytes, the limit of App Store Connect.
    package static let bundleIdByteCount = 155
    /// The longest other string that is read, in bytes: group, path of a file.
    package static let stringByteCount = 1_024
    package static let revision: Int64 = 1_000_000
    /// The longest PNG file that is read, in bytes. It only keeps a wrong file from filling the memory.
    package static let imageByteCount = 64 << 20
    /// The length of a PNG file above which lint warns, in bytes. Apple states no limit; one public client refuses longer
    /// files by itself.
    package static let imageWarningByteCount = 20 << 20
    /// The most findings that one run lists. An author with more findings corrects these first.
    package static let findingCount = 100
}
