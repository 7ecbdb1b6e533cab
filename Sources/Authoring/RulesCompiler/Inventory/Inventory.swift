public import Vocabulary

/// What Apple says about the messages and images of an app in one environment.
///
/// The text is one JSON object with the answers of Get Message List and Get Image List side by side:
///
///     { "messageIdentifiers": [ { "messageIdentifier": "…", "messageState": "APPROVED" } ],
///       "imageIdentifiers": [ { "imageIdentifier": "…", "imageState": "APPROVED", "imageSize": "FULL_SIZE" } ] }
///
/// Apple's lists do not say which message has which image, so the author adds to a message what was uploaded with it:
/// `image` and `bulletPoints`, as the upload's own body has them.
public struct Inventory: Sendable, Hashable {
    /// Whether Apple lets a message or an image be shown. Its words.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Under review.
        case pending = "PENDING"
        /// May be shown.
        case approved = "APPROVED"
        /// Will never be shown.
        case rejected = "REJECTED"
    }

    /// A message that was uploaded.
    public struct Message: Sendable, Hashable {
        /// Whether it may be shown.
        public var state: State
        /// Its images: its own, and those of its bullet points.
        public var images: [UUID]
        /// Whether it has an image or bullet points, which a switch or an offer must not have.
        public var isIllustrated: Bool

        /// Makes one.
        public init(state: State, images: [UUID] = [], isIllustrated: Bool = false) {
            self.state = state
            self.images = images
            self.isIllustrated = isIllustrated
        }
    }

    /// The messages by their identifiers.
    public var messages: [UUID: Message]
    /// The images by theirs.
    public var images: [UUID: State]

    /// Makes one.
    public init(messages: [UUID: Message] = [:], images: [UUID: State] = [:]) {
        self.messages = messages
        self.images = images
    }
}
