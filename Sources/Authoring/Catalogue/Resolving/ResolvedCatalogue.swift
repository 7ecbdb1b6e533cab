public import AppStoreServerAPI
public import Cryptography
public import DataFiles
public import Vocabulary

/// Everything that a catalogue wants Apple to have in one environment, each with its identifier.
///
/// The same catalogue and the same images always give the same identifiers, whatever the order of keys in the file.
public struct ResolvedCatalogue: Sendable, Hashable {
    /// An image to be uploaded.
    public struct Image: Sendable, Hashable {
        /// The identifier at Apple.
        public var identifier: UUID
        /// True when the catalogue pins the identifier: the image is at Apple already.
        public var isPinned: Bool
        /// The names of the image, in the order of the file. Names with the same content share one identifier.
        public var names: [String]
        /// The size under which the image is uploaded.
        public var size: ImageSize
        /// The path of the PNG, relative to the folder of the catalogue.
        public var file: String
        /// The SHA-256 digest of the PNG. It is compared again before the upload, since the file may have changed.
        public var fileDigest: SHA256Digest
        /// The length of the PNG in bytes.
        public var byteCount: Int
        /// The revision, from 1.
        public var revision: Int64
        public var contentVersion: ContentVersion
        /// True when a message uses the image.
        public var isUsed: Bool
    }

    /// A message in one locale, to be uploaded.
    public struct Message: Sendable, Hashable {
        /// The identifier at Apple.
        public var identifier: UUID
        /// True when the catalogue pins the identifier: the message is at Apple already.
        public var isPinned: Bool
        /// The name of the message.
        public var name: String
        /// The locale in which the text is written.
        public var locale: String
        /// The kind of outcome that may serve the message.
        public var kind: MessageKind
        /// The product for which the message was written; nil for every product.
        public var product: String?
        /// True when a rule that serves the message fails while Apple has not approved it.
        public var failsWhenUnapproved = false
        /// The revision, from 1.
        public var revision: Int64
        public var contentVersion: ContentVersion
        public var body: UploadMessageRequestBody
        /// The identifiers of all images of the message: its own and those of its bullet points.
        public var images: [UUID]
    }

    /// A default message to be set.
    public struct Default: Sendable, Hashable {
        /// The product whose subscribers get the default message.
        public var product: String
        /// The locale of the subscribers who get the default message.
        public var locale: String
        public var message: String
        /// The identifier of the message in this locale.
        public var identifier: UUID
    }

    /// The environment for which the identifiers were made.
    public var environment: Environment
    /// The number of the app in the App Store.
    public var appAppleId: Int64
    /// The bundle identifier of the app.
    public var bundleId: String
    /// The images, in the order of the file.
    public var images: [Image]
    /// The messages, in the order of the file.
    public var messages: [Message]
    /// The default messages, by product and locale in the order of the file.
    public var defaults: [Default]
    /// The URL that Apple asks; nil when the catalogue does not name it.
    public var realtimeURL: String?

    /// The messages as rules refer to them: under each name an identifier for each locale, in the order of the file.
    public var rulesMessages: [RulesModel.Message] {
        var rules: [RulesModel.Message] = []
        for message in messages {
            // The texts of one message stand one after the other.
            if rules.last?.name != message.name {
                var rule = RulesModel.Message(name: message.name, kind: message.kind, identifiers: [])
                rule.failsWhenUnapproved = message.failsWhenUnapproved
                rules.append(rule)
            }
            let entry = RulesModel.LocalizedIdentifier(locale: message.locale, identifier: message.identifier)
            rules[rules.count - 1].identifiers.append(entry)
        }
        return rules
    }
}
