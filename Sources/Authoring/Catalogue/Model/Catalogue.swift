package import AppStoreServerAPI
package import JSON
package import Rules
package import System

/// The messages, images and default messages of one app, as catalogue.json states them for both environments.
///
/// Every list has the order of the file. The path of a value follows from its names, for example
/// `messages.value_reminder.en-US.header`.
package struct Catalogue: Sendable, Hashable {
    package struct Product: Sendable, Hashable {
        package var name: String
        package var group: String?
    }

    /// A default message, which Apple shows when the service gives no answer.
    package struct Default: Sendable, Hashable {
        /// The product; nil for the entry `*`, which applies to every product without an entry of its own.
        package var product: String?
        /// The message for every locale without an entry in `locales`; nil when the file names only some locales.
        package var message: String?
        package var locales: [LocalDefault]
    }

    package struct LocalDefault: Sendable, Hashable {
        package var locale: String
        package var message: String
    }

    package var appAppleId: Int64
    package var bundleId: String
    /// The namespace of all identifiers, which is made once.
    package var namespace: UUID
    /// The locales in which every message should be there.
    package var locales: [String]
    package var products: [Product]
    package var images: [Image]
    package var messages: [Message]
    package var defaults: [Default]
    /// The URL that Apple asks, for each environment that the file names.
    package var realtimeURLs: [Environment: String]

    /// Returns a first catalogue as JSON: one message in the first locale, which is the default message of every product.
    package static func first(
        appAppleId: Int64, bundleId: String, namespace: UUID, locales: [String], products: [String]
    ) -> JSONNode {
        let text: [(String, JSONNode)] = [
            ("header", .string("Before you go")),
            ("body", .string("You keep everything in your plan until the end of the period.")),
        ]
        let message: [(String, JSONNode)] = [
            ("kind", .string("text")), (locales.first ?? "en-US", .object(text)),
        ]
        return new(
            appAppleId: appAppleId, bundleId: bundleId, namespace: namespace, locales: locales,
            products: products, messages: [("value_reminder", .object(message))],
            defaults: [(CatalogueKeys.everyProduct, .string("value_reminder"))])
    }

    /// Returns a catalogue without messages as JSON.
    package static func blank(
        appAppleId: Int64, bundleId: String, namespace: UUID, locales: [String], products: [String]
    ) -> JSONNode {
        new(
            appAppleId: appAppleId, bundleId: bundleId, namespace: namespace, locales: locales,
            products: products, messages: [], defaults: [])
    }

    private static func new(
        appAppleId: Int64, bundleId: String, namespace: UUID, locales: [String], products: [String],
        messages: [(String, JSONNode)], defaults: [(String, JSONNode)]
    ) -> JSONNode {
        let app: [(String, JSONNode)] = [
            ("appAppleId", .integer(appAppleId)), ("bundleId", .string(bundleId)),
        ]
        return .object([
            ("format", .integer(1)), ("app", .object(app)), ("namespace", .string(namespace.description)),
            ("locales", .array(locales.map { .string($0) })),
            ("products", .object(products.map { ($0, .object([])) })),
            ("images", .object([])), ("messages", .object(messages)), ("defaults", .object(defaults)),
        ])
    }
}

/// An identifier that an image or a message has at Apple already, and the digest of the content that was uploaded.
package struct CataloguePin: Sendable, Hashable {
    package var identifier: UUID
    /// The content version of what was uploaded under the identifier; nil until `catalogue adopt` has seen the content.
    package var contentVersion: ContentVersion?
}

extension Catalogue {
    package struct Image: Sendable, Hashable {
        package var name: String
        /// The path of the PNG, relative to the folder of the catalogue.
        package var file: String
        package var size: ImageSize
        /// The revision, from 1. Another revision gives the same file another identifier.
        package var revision: Int64
        package var pins: [Environment: CataloguePin]
    }

    package struct Message: Sendable, Hashable {
        package var name: String
        package var kind: MessageKind
        /// The product for which the message was written; nil for a message that fits every product.
        package var product: String?
        /// The place of the header; nil for Apple's default.
        package var headerPosition: UploadMessageRequestBody.HeaderPosition?
        /// True when a rule that serves the message fails in a locale that Apple has not approved; false when the message's
        /// other locales are tried there.
        package var failsWhenUnapproved: Bool
        package var texts: [Text]
    }

    package struct Text: Sendable, Hashable {
        package var locale: String
        package var header: String
        package var body: String
        /// The name of the image; nil for a text without image. The image of the message stands here when the text has no
        /// image of its own.
        package var image: String?
        package var imageAltText: String?
        package var bulletPoints: [BulletPoint]
        /// The revision, from 1: that of the text, or else that of the message.
        package var revision: Int64
        /// The identifiers that the text has at Apple already.
        package var pins: [Environment: CataloguePin]
    }

    package struct BulletPoint: Sendable, Hashable {
        package var text: String
        package var image: String
        package var altText: String
    }
}

extension Catalogue.Message {
    init(name: String) {
        self.init(
            name: name, kind: .text, product: nil, headerPosition: nil, failsWhenUnapproved: false, texts: [])
    }
}

extension Catalogue.Text {
    /// The names of all images of the text: its own and those of its bullet points.
    package var images: [String] { [image].compactMap { $0 } + bulletPoints.map(\.image) }
}
