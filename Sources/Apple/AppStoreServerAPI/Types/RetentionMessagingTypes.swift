internal import JSON
package import System

/// A message in the answer of Get Message List. Apple lists neither texts nor locales.
///
/// Source: Apple, GetMessageListResponseItem.
package struct ListedMessage: Sendable, Hashable {
    package let messageIdentifier: UUID
    package let messageState: ReviewState

    package init(messageIdentifier: UUID, messageState: ReviewState) {
        self.messageIdentifier = messageIdentifier
        self.messageState = messageState
    }
}

/// An image in the answer of Get Image List.
///
/// Source: Apple, GetImageListResponseItem.
package struct ListedImage: Sendable, Hashable {
    package let imageIdentifier: UUID
    package let imageState: ReviewState
    /// The size as Apple spells it; nil when Apple does not give it. Apple's libraries allow an entry without it.
    package let imageSize: String?

    package init(imageIdentifier: UUID, imageState: ReviewState, imageSize: String?) {
        self.imageIdentifier = imageIdentifier
        self.imageState = imageState
        self.imageSize = imageSize
    }

    /// The size; nil when Apple does not give it, or gives a size that this version does not know.
    package var size: ImageSize? { imageSize.flatMap(ImageSize.init(rawValue:)) }
}

/// The state of a message or an image in Apple's review.
///
/// Source: Apple, messageState and imageState. A state can change between two requests in any direction. In Sandbox,
/// Apple approves everything by itself.
package enum ReviewState: RawRepresentable, Sendable, Hashable {
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

/// The two sizes of images. The size decides where a message may use the image.
///
/// Source: Apple, imageSize.
package enum ImageSize: String, Sendable, Hashable, CaseIterable, Codable {
    /// An image of a message: a PNG without transparency, 3840 pixels wide and 160 to 2160 pixels high.
    case fullSize = "FULL_SIZE"
    /// An image of a bullet point: a PNG without transparency, 1024 by 1024 pixels.
    case bulletPoint = "BULLET_POINT"
}

/// The content of a message, as Upload Message takes it.
///
/// Source: Apple, UploadMessageRequestBody. Apple needs neither the locale nor the kind of the message, and it never
/// gives the content back.
package struct UploadMessageRequestBody: Sendable, Hashable, Codable {
    /// The place of the header in relation to the image.
    package enum HeaderPosition: String, Sendable, Hashable, CaseIterable, Codable {
        /// The header stands below the image, above the body. Apple's default.
        case aboveBody = "ABOVE_BODY"
        /// The header stands above the image. The message must have an image.
        case aboveImage = "ABOVE_IMAGE"
    }

    package struct Image: Sendable, Hashable, Codable {
        /// The identifier of an uploaded image of the size ``ImageSize/fullSize``.
        package var imageIdentifier: UUID
        /// The text for people who do not see the image, at most ``RetentionMessagingLimits/altTextLength`` long.
        package var altText: String

        package init(imageIdentifier: UUID, altText: String) {
            self.imageIdentifier = imageIdentifier
            self.altText = altText
        }
    }

    /// A bullet point of a message. Apple requires all three members.
    package struct BulletPoint: Sendable, Hashable, Codable {
        package var text: String
        /// The identifier of an uploaded image of the size ``ImageSize/bulletPoint``.
        package var imageIdentifier: UUID
        /// The text for people who do not see the image, at most ``RetentionMessagingLimits/altTextLength`` long.
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
    package var bulletPoints: [BulletPoint]

    package init(
        header: String, body: String, image: Image? = nil, headerPosition: HeaderPosition? = nil,
        bulletPoints: [BulletPoint] = []
    ) {
        self.header = header
        self.body = body
        self.image = image
        self.headerPosition = headerPosition
        self.bulletPoints = bulletPoints
    }

    /// The body as JSON text with the members in Apple's order. Members without a value are left out, also an empty
    /// list of bullet points.
    package var json: [UInt8] {
        var members: [(String, JSONNode)] = [("header", .string(header)), ("body", .string(body))]
        if let image {
            let object: [(String, JSONNode)] = [
                ("imageIdentifier", .string(image.imageIdentifier.description)),
                ("altText", .string(image.altText)),
            ]
            members.append(("image", .object(object)))
        }
        if let headerPosition { members.append(("headerPosition", .string(headerPosition.rawValue))) }
        if !bulletPoints.isEmpty {
            let list = bulletPoints.map { point in
                JSONNode.object([
                    ("text", .string(point.text)),
                    ("imageIdentifier", .string(point.imageIdentifier.description)),
                    ("altText", .string(point.altText)),
                ])
            }
            members.append(("bulletPoints", .array(list)))
        }
        return JSONNode.object(members).serialized()
    }
}

/// The limits that Apple sets for messages, images and the real-time URL.
///
/// Apple does not say in which unit it counts the length of a text: its Swift library counts graphemes, its Java
/// library UTF-16 units, its Python library code points.
package enum RetentionMessagingLimits {
    /// The length limit of a message's header. Source: Apple, UploadMessageRequestBody `header`.
    package static let headerLength = 66
    /// The length limit of a message's body. Source: Apple, UploadMessageRequestBody `body`.
    package static let bodyLength = 144
    /// The length limit of an image's alternative text. Source: Apple, UploadMessageImage `altText`.
    package static let altTextLength = 150
    /// The length limit of a bullet point's text. Source: Apple, BulletPoint `text`.
    package static let bulletPointTextLength = 66
    /// The greatest number of bullet points in a message. Source: a constant in Apple's four server libraries.
    package static let bulletPointCount = 5
    /// The greatest number of messages of an app. Source: Apple, MaximumNumberOfMessagesReachedError.
    package static let messageCount = 2000
    /// The greatest number of images of an app. Source: Apple, MaximumNumberOfImagesReachedError.
    package static let imageCount = 2000
    /// The greatest length of the real-time URL, in characters. Source: Apple, realtimeURL.
    package static let realtimeURLLength = 256
}
