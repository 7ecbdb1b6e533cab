public import Vocabulary

/// The reasons of findings about a catalogue, or about a map for `catalogue adopt`. The code of a finding is `catalogue.` and the
/// raw value.
public enum CatalogueReason: String, FindingReason, CaseIterable {
    /// A value of another JSON type.
    case wrongType = "wrong-type"
    /// A required key is missing.
    case missingKey = "missing-key"
    /// A key that the catalogue does not have.
    case unknownKey = "unknown-key"
    /// A `format` that this version does not know.
    case unknownFormat = "unknown-format"
    /// A number outside the allowed range.
    case badNumber = "bad-number"
    /// A string that is empty where it must not be, or longer than a catalogue allows.
    case badLength = "bad-length"
    /// A name, a product or a bundle identifier with characters that it must not have.
    case badName = "bad-name"
    /// Not a UUID.
    case badUUID = "bad-uuid"
    /// A digest that is not 64 hexadecimal digits.
    case badDigest = "bad-digest"
    /// A word that is not one of the allowed words.
    case unknownValue = "unknown-value"
    /// More entries than allowed, or more messages or images than Apple allows in one app.
    case tooMany = "too-many"
    /// A list that must not be empty: no locale, or a message without a text.
    case empty = "empty"
    /// A locale in a spelling that no device sends.
    case badLocale = "bad-locale"
    /// A locale that is not in Apple's table of App Store locales.
    case unknownLocale = "unknown-locale"
    /// A locale that stands twice in `locales`.
    case duplicateLocale = "duplicate-locale"
    /// A text in a locale that is not in `locales`.
    case undeclaredLocale = "undeclared-locale"
    /// A message without a text in a locale of the catalogue.
    case missingLocale = "missing-locale"
    /// A text that is too long in graphemes, code points and UTF-16 units alike.
    case textTooLong = "text-too-long"
    /// A text that is too long in some units and not in others; Apple does not say in which it counts.
    case lengthUnclear = "length-unclear"
    /// A control character in a text.
    case controlCharacter = "control-character"
    /// A line break in a text.
    case lineBreak = "line-break"
    /// A mark that turns the direction of writing.
    case directionMark = "direction-mark"
    /// An invisible character in a text.
    case invisibleCharacter = "invisible-character"
    /// Something in a text that looks like HTML; Apple shows the characters as they are.
    case markup = "markup"
    /// A text that begins or ends with white space.
    case surroundingSpace = "surrounding-space"
    /// An emoji in a text.
    case emoji = "emoji"
    /// A price in a text; prices differ by storefront and change.
    case price = "price"
    /// An image that is not in `images`.
    case unknownImage = "unknown-image"
    /// An image for bullet points as the image of a message, or the reverse.
    case wrongImageSize = "wrong-image-size"
    /// An image in a message for an offer, a switch or an Advanced Commerce change.
    case imageNotAllowed = "image-not-allowed"
    /// Bullet points in a message for an offer, a switch or an Advanced Commerce change.
    case bulletsNotAllowed = "bullets-not-allowed"
    /// More than five bullet points.
    case tooManyBullets = "too-many-bullets"
    /// A bullet point without an image.
    case bulletWithoutImage = "bullet-without-image"
    /// `ABOVE_IMAGE` in a message without an image.
    case aboveImageWithoutImage = "above-image-without-image"
    /// A text that has an image and no `imageAltText`.
    case missingAltText = "missing-alt-text"
    /// An `imageAltText` in a text without an image.
    case unusedAltText = "unused-alt-text"
    /// An image that no message uses.
    case unusedImage = "unused-image"
    /// A path of an image that leads out of the catalogue's folder.
    case badPath = "bad-path"
    /// An image file that does not exist.
    case imageMissing = "image-missing"
    /// An image file that cannot be read, or is not a regular file.
    case imageUnreadable = "image-unreadable"
    /// An image file that is longer than this program reads.
    case imageTooLarge = "image-too-large"
    /// An image file of more than 20 MiB.
    case imageHeavy = "image-heavy"
    /// A file that is not a PNG.
    case notPNG = "not-png"
    /// A PNG that is truncated, or whose chunks, checksums or pixels are wrong.
    case damagedPNG = "damaged-png"
    /// A PNG with other dimensions than its size needs.
    case imageDimensions = "image-dimensions"
    /// A PNG with transparent pixels.
    case imageTransparent = "image-transparent"
    /// A PNG with an alpha channel or a tRNS chunk in which every pixel is opaque.
    case imageAlpha = "image-alpha"
    /// An animated PNG.
    case imageAnimated = "image-animated"
    /// A PNG with 16 bits for each number of a pixel.
    case imageDepth = "image-depth"
    /// An interlaced PNG.
    case imageInterlaced = "image-interlaced"
    /// A PNG with a palette.
    case imagePalette = "image-palette"
    /// A PNG with bytes behind its end.
    case imageTrailingBytes = "image-trailing-bytes"
    /// A message that is not in `messages`.
    case unknownMessage = "unknown-message"
    /// A product that is not in `products`.
    case unknownProduct = "unknown-product"
    /// A default message of a kind other than `text`.
    case wrongMessageKind = "wrong-message-kind"
    /// A default message that was written for another product.
    case wrongProduct = "wrong-product"
    /// A product without a default message in a locale of the catalogue.
    case missingDefault = "missing-default"
    /// A real-time URL that Apple does not take.
    case badURL = "bad-url"
    /// A pinned image or message whose content is not what was pinned.
    case pinChanged = "pin-changed"
    /// An identifier that is pinned, and that another image or text has in the same environment.
    case duplicateIdentifier = "duplicate-identifier"
    /// An identifier that is pinned, and that another image or text has in the other environment.
    case sharedIdentifier = "shared-identifier"
    /// An identifier in a map that Apple does not list.
    case notAtApple = "not-at-apple"
    /// An entry of a map that contradicts the catalogue, Apple's lists or another entry.
    case mapConflict = "map-conflict"
    /// There are more findings than the list shows.
    case moreFindings = "more-findings"

    /// The severity of the findings with this reason.
    public var severity: Finding.Severity {
        switch self {
        case .emoji, .price: .note
        case .unknownLocale, .missingLocale, .lengthUnclear, .lineBreak, .directionMark, .invisibleCharacter,
            .markup,
            .surroundingSpace, .unusedAltText, .unusedImage, .imageHeavy, .imageAlpha, .imageAnimated,
            .imageDepth,
            .imageInterlaced, .imagePalette, .imageTrailingBytes, .missingDefault, .sharedIdentifier:
            .warning
        default: .error
        }
    }
}
