package import System

/// Source: Apple, GetMessageListResponseItem. Apple lists neither texts nor locales.
package struct ListedMessage: Sendable, Hashable, Codable {
    package let messageIdentifier: UUID
    package let messageState: ReviewState

    package init(messageIdentifier: UUID, messageState: ReviewState) {
        self.messageIdentifier = messageIdentifier
        self.messageState = messageState
    }
}

/// Source: Apple, GetImageListResponseItem.
package struct ListedImage: Sendable, Hashable, Codable {
    package let imageIdentifier: UUID
    package let imageState: ReviewState
    /// The size as Apple spells it; nil when Apple does not give it. Apple's libraries allow an entry without it.
    package let imageSize: String?

    package init(imageIdentifier: UUID, imageState: ReviewState, imageSize: String?) {
        self.imageIdentifier = imageIdentifier
        self.imageState = imageState
        self.imageSize = imageSize
    }

    /// Nil when Apple does not give it, or gives a size that this version does not know.
    package var size: ImageSize? { imageSize.flatMap(ImageSize.init(rawValue:)) }
}

/// Source: Apple, messageState and imageState. It can change between two requests in any direction; in Sandbox, Apple
/// approves everything by itself.
package enum ReviewState: RawRepresentable, Sendable, Hashable, Codable {
    case pending
    case approved
    /// Apple rejected it. Apple gives no reason.
    case rejected
    /// A state that this version does not know, as Apple spells it.
    case other(String)

    package init(rawValue: String) {
        self =
            switch rawValue {
            case "PENDING": .pending
            case "APPROVED": .approved
            case "REJECTED": .rejected
            default: .other(rawValue)
            }
    }

    package var rawValue: String {
        switch self {
        case .pending: "PENDING"
        case .approved: "APPROVED"
        case .rejected: "REJECTED"
        case .other(let text): text
        }
    }
}

/// Source: Apple, imageSize. The size decides where a message may use the image.
package enum ImageSize: String, Sendable, Hashable, CaseIterable, Codable {
    /// A PNG without transparency, 3840 pixels wide and 160 to 2160 pixels high.
    case fullSize = "FULL_SIZE"
    /// For a bullet point: a PNG without transparency, 1024 by 1024 pixels.
    case bulletPoint = "BULLET_POINT"
}

/// Source: Apple, UploadMessageRequestBody. Apple needs neither the locale nor the kind of the message.
package struct UploadMessageRequestBody: Sendable, Hashable, Codable {
    package enum HeaderPosition: String, Sendable, Hashable, CaseIterable, Codable {
        /// Below the image, above the body. Apple's default.
        case aboveBody = "ABOVE_BODY"
        /// The message must have an image.
        case aboveImage = "ABOVE_IMAGE"
    }

    package struct Image: Sendable, Hashable, Codable {
        package var imageIdentifier: UUID
        package var altText: String

        package init(imageIdentifier: UUID, altText: String) {
            self.imageIdentifier = imageIdentifier
            self.altText = altText
        }
    }

    package struct BulletPoint: Sendable, Hashable, Codable {
        package var text: String
        package var imageIdentifier: UUID
        package var altText: String

        package init(text: String, imageIdentifier: UUID, altText: String) {
            self.text = text
            self.imageIdentifier = imageIdentifier
            self.altText = altText
        }
    }

    package var header: String
    package var body: String
    package var image: Image?
    package var headerPosition: HeaderPosition?
    private var points: [BulletPoint]?
    package var bulletPoints: [BulletPoint] {
        get { points ?? [] }
        set { points = newValue.isEmpty ? nil : newValue }
    }

    private enum CodingKeys: String, CodingKey {
        case header, body, image, headerPosition
        case points = "bulletPoints"
    }

    package init(
        header: String, body: String, image: Image? = nil, headerPosition: HeaderPosition? = nil,
        bulletPoints: [BulletPoint] = []
    ) {
        self.header = header
        self.body = body
        self.image = image
        self.headerPosition = headerPosition
        points = bulletPoints.isEmpty ? nil : bulletPoints
    }
}

package struct MessageList: Codable {
    package let messageIdentifiers: [ListedMessage]

    package init(messageIdentifiers: [ListedMessage]) { self.messageIdentifiers = messageIdentifiers }
}

package struct ImageList: Codable {
    package let imageIdentifiers: [ListedImage]

    package init(imageIdentifiers: [ListedImage]) { self.imageIdentifiers = imageIdentifiers }
}

package struct DefaultMessage: Codable {
    package let messageIdentifier: UUID

    package init(messageIdentifier: UUID) { self.messageIdentifier = messageIdentifier }
}

package struct RealtimeURL: Codable {
    package let realtimeURL: String

    package init(realtimeURL: String) { self.realtimeURL = realtimeURL }
}

/// The limits that Apple sets for messages, images and the real-time URL.
///
/// Apple does not say in which unit it counts the length of a text: its Swift library counts graphemes, its Java
/// library UTF-16 units, its Python library code points.
package enum RetentionMessagingLimits {
    /// Source: Apple, UploadMessageRequestBody `header`.
    package static let headerLength = 66
    /// Source: Apple, UploadMessageRequestBody `body`.
    package static let bodyLength = 144
    /// Source: Apple, UploadMessageImage `altText`.
    package static let altTextLength = 150
    package static let bulletPointTextLength = 66
    /// Source: a constant in Apple's four server libraries.
    package static let bulletPointCount = 5
    /// Source: Apple, MaximumNumberOfMessagesReachedError.
    package static let messageCount = 2000
    /// Source: Apple, MaximumNumberOfImagesReachedError.
    package static let imageCount = 2000
    /// Source: Apple, realtimeURL.
    package static let realtimeURLLength = 256
}

/// The locales of Apple's table "App Store localizations", to which the type `locale` of the Retention Messaging API refers.
///
/// Whether Apple's server takes a locale that is not in the table is not documented, so such a locale is a warning.
package enum AppStoreLocales {
    package static let all = [
        "ar-SA", "bn-BD", "ca", "cs", "da", "de-DE", "el", "en-AU", "en-CA", "en-GB", "en-US", "es-ES",
        "es-MX", "fi",
        "fr-CA", "fr-FR", "gu-IN", "he", "hi", "hr", "hu", "id", "it", "ja", "kn-IN", "ko", "ml-IN", "mr-IN",
        "ms",
        "nl-NL", "no", "or-IN", "pa-IN", "pl", "pt-BR", "pt-PT", "ro", "ru", "sk", "sl-SI", "sv", "ta-IN",
        "te-IN", "th",
        "tr", "uk", "ur-PK", "vi", "zh-Hans", "zh-Hant",
    ]

    /// The spellings of other systems for locales of the table, where the language alone does not say which locale is meant.
    private static let others = [
        "en-UK": "en-GB", "en": "en-US", "es": "es-ES", "es-419": "es-MX", "es-US": "es-MX", "fr": "fr-FR",
        "pt": "pt-PT", "zh": "zh-Hans", "zh-CN": "zh-Hans", "zh-SG": "zh-Hans", "zh-TW": "zh-Hant",
        "zh-HK": "zh-Hant",
        "zh-MO": "zh-Hant", "nb": "no", "nn": "no", "nb-NO": "no", "nn-NO": "no", "iw": "he", "iw-IL": "he",
        "in": "id",
        "in-ID": "id",
    ]

    /// Nil when none is near. A locale of the table is returned as it is.
    package static func suggestion(for locale: String) -> String? {
        guard !all.contains(locale) else { return locale }
        if let known = others[locale] { return known }
        let language = locale.prefix { $0 != "-" }
        if language == "zh" {
            return all.first { locale.hasPrefix($0) }
        }
        let same = all.filter { $0.prefix { $0 != "-" } == language }
        return same.count == 1 ? same[0] : nil
    }
}

extension UUID: Codable, CodingKeyRepresentable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = UUID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    package var codingKey: any CodingKey { ObjectKey(stringValue: description) }

    package init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }
}

/// A key of an object that is a text.
package struct ObjectKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
}

package struct ProductLocale: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    package let product: String
    package let locale: String

    package init(product: String, locale: String) {
        self.product = product
        self.locale = locale
    }

    package var description: String { "\(product) in \(locale)" }

    package static func < (left: ProductLocale, right: ProductLocale) -> Bool {
        (left.product, left.locale) < (right.product, right.locale)
    }
}

/// `pro_monthly en-US`: neither a product nor a locale has a space.
extension ProductLocale: CodingKeyRepresentable {
    package var codingKey: any CodingKey { ObjectKey(stringValue: "\(product) \(locale)") }

    package init?(codingKey: some CodingKey) {
        let parts = codingKey.stringValue.split(separator: " ")
        guard parts.count == 2 else { return nil }
        self.init(product: String(parts[0]), locale: String(parts[1]))
    }
}
