public import JSON
public import Vocabulary

/// A message in the answer of Get Message List. Apple lists neither texts nor locales.
///
/// Source: Apple, GetMessageListResponseItem.
public struct ListedMessage: Sendable, Hashable {
    /// The identifier under which the message was uploaded.
    public let messageIdentifier: UUID
    /// The state of the message in Apple's review.
    public let messageState: ReviewState

    public init(messageIdentifier: UUID, messageState: ReviewState) {
        self.messageIdentifier = messageIdentifier
        self.messageState = messageState
    }

    /// The members of Apple's JSON object.
    public var members: [(String, JSONNode)] {
        [
            ("messageIdentifier", .string(messageIdentifier.description)),
            ("messageState", .string(messageState.rawValue)),
        ]
    }
}

/// An image in the answer of Get Image List.
///
/// Source: Apple, GetImageListResponseItem.
public struct ListedImage: Sendable, Hashable {
    /// The identifier under which the image was uploaded.
    public let imageIdentifier: UUID
    /// The state of the image in Apple's review.
    public let imageState: ReviewState
    /// The size as Apple spells it; nil when Apple does not give it. Apple's libraries allow an entry without it.
    public let imageSize: String?

    /// Combines an identifier, a state and a size.
    public init(imageIdentifier: UUID, imageState: ReviewState, imageSize: String?) {
        self.imageIdentifier = imageIdentifier
        self.imageState = imageState
        self.imageSize = imageSize
    }

    /// The size; nil when Apple does not give it, or gives a size that this version does not know.
    public var size: ImageSize? { imageSize.flatMap(ImageSize.init(rawValue:)) }

    /// The members of Apple's JSON object. A size that is nil has no member.
    public var members: [(String, JSONNode)] {
        [
            ("imageIdentifier", .string(imageIdentifier.description)),
            ("imageState", .string(imageState.rawValue)),
        ] + (imageSize.map { [("imageSize", .string($0))] } ?? [])
    }
}
