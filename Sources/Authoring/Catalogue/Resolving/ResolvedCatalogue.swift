package import AppStoreServerAPI
package import Cryptography
package import Rules
package import System

/// Everything that a catalogue wants Apple to have in one environment, each with its identifier.
///
/// The same catalogue and the same images always give the same identifiers, whatever the order of keys in the file.
package struct ResolvedCatalogue: Sendable, Hashable {
    package struct Image: Sendable, Hashable {
        package var identifier: UUID
        /// True when the catalogue pins the identifier: the image is at Apple already.
        package var isPinned: Bool
        /// The names of the image, in the order of the file. Names with the same content share one identifier.
        package var names: [String]
        package var size: ImageSize
        /// The path of the PNG, relative to the folder of the catalogue.
        package var file: String
        /// The SHA-256 digest of the PNG. It is compared again before the upload, since the file may have changed.
        package var fileDigest: SHA256Digest
        /// The revision, from 1.
        package var revision: Int64
        package var contentVersion: ContentVersion
    }

    /// A message in one locale, to be uploaded.
    package struct Message: Sendable, Hashable {
        package var identifier: UUID
        /// True when the catalogue pins the identifier: the message is at Apple already.
        package var isPinned: Bool
        package var name: String
        package var locale: String
        /// The kind of outcome that may serve the message.
        package var kind: MessageKind
        /// The product for which the message was written; nil for every product.
        package var product: String?
        /// True when a rule that serves the message fails while Apple has not approved it.
        package var failsWhenUnapproved = false
        /// The revision, from 1.
        package var revision: Int64
        package var contentVersion: ContentVersion
        package var body: UploadMessageRequestBody
        /// The identifiers of all images of the message: its own and those of its bullet points.
        package var images: [UUID]
    }

    package struct Default: Sendable, Hashable {
        /// The product whose subscribers get the default message.
        package var product: String
        /// The locale of the subscribers who get the default message.
        package var locale: String
        package var message: String
        /// The identifier of the message in this locale.
        package var identifier: UUID
    }

    package var environment: Environment
    package var appAppleId: Int64
    package var bundleId: String
    package var images: [Image]
    package var messages: [Message]
    /// The default messages, by product and locale in the order of the file.
    package var defaults: [Default]
    /// The URL that Apple asks; nil when the catalogue does not name it.
    package var realtimeURL: String?

    /// The messages as rules refer to them: under each name an identifier for each locale, in the order of the file.
    package var rulesMessages: [RulesModel.Message] {
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
