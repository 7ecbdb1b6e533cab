package import System

/// The reasons of findings about a catalogue. The code of a finding is `catalogue.` and the raw value; its message names the
/// member.
package enum CatalogueReason: String, FindingReason, CaseIterable {
    case wrongType = "wrong-type"
    case missingKey = "missing-key"
    case unknownKey = "unknown-key"
    /// A value of the right type that the catalogue, or Apple, does not take.
    case badValue = "bad-value"
    /// An image, a message, a product or a locale that the catalogue does not have.
    case unknownName = "unknown-name"
    /// A locale that stands twice, or an identifier that two things have.
    case duplicate
    /// More than Apple allows, or than this program reads.
    case tooMany = "too-many"
    case textTooLong = "text-too-long"
    /// An image, a bullet point or a message where Apple does not take it.
    case wrongUse = "wrong-use"
    /// An image file that is missing or cannot be read.
    case imageFile = "image-file"
    /// An image file that Apple does not take.
    case badImage = "bad-image"
    /// A pinned image or message whose content is not what was pinned.
    case pinChanged = "pin-changed"
    case moreFindings = "more-findings"

    /// A locale that is not in Apple's table of App Store locales.
    case unknownLocale = "unknown-locale"
    case missingLocale = "missing-locale"
    case missingDefault = "missing-default"
    /// A text that is too long in some units and not in others; Apple does not say in which it counts.
    case lengthUnclear = "length-unclear"
    /// A line break, an invisible character, or what looks like HTML or a slip: Apple shows the characters as they are.
    case oddText = "odd-text"
    /// An image of which Apple does not say whether it takes it.
    case oddImage = "odd-image"
    case unused
    /// An identifier that is pinned, and that another image or text has in the other environment.
    case sharedIdentifier = "shared-identifier"
    /// A pin without a digest, as `catalogue adopt` writes it before somebody has filled in the content.
    case pinOpen = "pin-open"

    case emoji
    /// A price in a text; prices differ by storefront and change.
    case price

    package var severity: Finding.Severity {
        switch self {
        case .emoji, .price: .note
        case .unknownLocale, .missingLocale, .missingDefault, .lengthUnclear, .oddText, .oddImage, .unused,
            .sharedIdentifier, .pinOpen:
            .warning
        default: .error
        }
    }
}
