public import AppStoreServerAPI
public import DataFiles
public import Vocabulary

extension Catalogue {
    /// An image under the name that messages use.
    public struct Image: Sendable, Hashable {
        /// The name by which messages use the image.
        public var name: String
        /// The path of the PNG, relative to the folder of the catalogue.
        public var file: String
        /// The size, which decides where messages may use the image.
        public var size: ImageSize
        /// The revision, from 1. Another revision gives the same file another identifier.
        public var revision: Int64
        /// The identifiers that the image has at Apple already.
        public var pins: [Environment: CataloguePin]
    }

    /// A message under the name that rules and defaults use.
    public struct Message: Sendable, Hashable {
        /// The name by which rules and defaults use the message.
        public var name: String
        /// The kind of outcome that may serve the message.
        public var kind: MessageKind
        /// The product for which the message was written; nil for a message that fits every product.
        public var product: String?
        /// The place of the header; nil for Apple's default.
        public var headerPosition: UploadMessageRequestBody.HeaderPosition?
        /// True when a rule that serves the message fails in a locale that Apple has not approved; false when the message's
        /// other locales are tried there.
        public var failsWhenUnapproved: Bool
        /// The texts, one for each locale.
        public var texts: [Text]
    }

    /// A message in one locale. It is uploaded under one identifier.
    public struct Text: Sendable, Hashable {
        /// The locale in which header and body are written.
        public var locale: String
        public var header: String
        public var body: String
        /// The name of the image; nil for a text without image. The image of the message stands here when the text has no
        /// image of its own.
        public var image: String?
        /// The text for people who do not see the image.
        public var imageAltText: String?
        /// The bullet points in their order.
        public var bulletPoints: [BulletPoint]
        /// The revision, from 1: that of the text, or else that of the message.
        public var revision: Int64
        /// The identifiers that the text has at Apple already.
        public var pins: [Environment: CataloguePin]
    }

    public struct BulletPoint: Sendable, Hashable {
        public var text: String
        public var image: String
        /// The text for people who do not see the image.
        public var altText: String
    }
}

extension Catalogue.Message {
    /// Makes a message of the kind `text` without a text.
    init(name: String) {
        self.init(
            name: name, kind: .text, product: nil, headerPosition: nil, failsWhenUnapproved: false, texts: [])
    }
}

extension Catalogue.Text {
    /// The names of all images of the text: its own and those of its bullet points.
    public var images: [String] { [image].compactMap { $0 } + bulletPoints.map(\.image) }
}
