package import System

/// The code of a finding is `catalogue.` and the raw value.
package enum CatalogueReason: String, FindingReason, CaseIterable {
    case wrongType = "wrong-type"
    case missingKey = "missing-key"
    case unknownKey = "unknown-key"
    /// A value of the right type that the catalogue, or Apple, does not take.
    case badValue = "bad-value"
    case unknownName = "unknown-name"
    /// A locale that stands twice, or an identifier that two things have.
    case duplicate
    case tooMany = "too-many"
    case textTooLong = "text-too-long"
    case wrongUse = "wrong-use"
    case imageFile = "image-file"
    case badImage = "bad-image"
    case pinChanged = "pin-changed"
    case moreFindings = "more-findings"

    case unknownLocale = "unknown-locale"
    case missingLocale = "missing-locale"
    case missingDefault = "missing-default"
    /// A text that is too long in some units and not in others; Apple does not say in which it counts.
    case lengthUnclear = "length-unclear"
    case unused
    /// A pin without a digest, as `catalogue adopt` writes it before somebody has filled in the content.
    case pinOpen = "pin-open"

    package var severity: Finding.Severity {
        switch self {
        case .unknownLocale, .missingLocale, .missingDefault, .lengthUnclear, .unused, .pinOpen: .warning
        default: .error
        }
    }
}

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
    package static let revision: Int64 = 1_000_000
    /// The longest PNG file that is read, in bytes. It only keeps a wrong file from filling the memory.
    package static let imageByteCount = 64 << 20
    /// The most findings that one run lists. An author with more findings corrects these first.
    package static let findingCount = 100
}
