internal import JSON
public import Vocabulary

/// The content of a message, as Upload Message takes it.
///
/// Source: Apple, UploadMessageRequestBody. Apple needs neither the locale nor the kind of the message, and it never
/// gives the content back.
public struct UploadMessageRequestBody: Sendable, Hashable {
    /// The place of the header in relation to the image.
    public enum HeaderPosition: String, Sendable, Hashable, CaseIterable {
        /// The header stands below the image, above the body. Apple's default.
        case aboveBody = "ABOVE_BODY"
        /// The header stands above the image. The message must have an image.
        case aboveImage = "ABOVE_IMAGE"
    }

    public struct Image: Sendable, Hashable {
        /// The identifier of an uploaded image of the size ``ImageSize/fullSize``.
        public var imageIdentifier: UUID
        /// The text for people who do not see the image, at most ``RetentionMessagingLimits/altTextLength`` long.
        public var altText: String

        public init(imageIdentifier: UUID, altText: String) {
            self.imageIdentifier = imageIdentifier
            self.altText = altText
        }
    }

    /// A bullet point of a message. Apple requires all three members.
    public struct BulletPoint: Sendable, Hashable {
        /// The text, at most ``RetentionMessagingLimits/bulletPointTextLength`` long.
        public var text: String
        /// The identifier of an uploaded image of the size ``ImageSize/bulletPoint``.
        public var imageIdentifier: UUID
        /// The text for people who do not see the image, at most ``RetentionMessagingLimits/altTextLength`` long.
        public var altText: String

        /// Combines a text, an image and the image's text.
        public init(text: String, imageIdentifier: UUID, altText: String) {
            self.text = text
            self.imageIdentifier = imageIdentifier
            self.altText = altText
        }
    }

    /// The header, at most ``RetentionMessagingLimits/headerLength`` long.
    public var header: String
    /// The body, at most ``RetentionMessagingLimits/bodyLength`` long.
    public var body: String
    /// The image; nil for a message without image.
    public var image: Image?
    /// The place of the header; nil for Apple's default.
    public var headerPosition: HeaderPosition?
    /// The bullet points in their order, at most ``RetentionMessagingLimits/bulletPointCount``.
    public var bulletPoints: [BulletPoint]

    /// Combines the parts of a message. Does not check their lengths.
    public init(
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
    public var json: [UInt8] {
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
