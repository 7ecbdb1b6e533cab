package import AppStoreServerAPI
package import JSON
package import Rules
package import System

/// Every list has the order of the file. The path of a value follows from its names: `messages.value_reminder.en-
/// US.body`.
package struct Catalogue: Sendable, Hashable {
    package struct Product: Sendable, Hashable {
        package var name: String
        package var group: String?
    }

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
    package var realtimeURLs: [Environment: String]

    /// Returns a new catalogue as JSON, with a first message, which is the default message of every product, or without messages.
    package static func new(
        appAppleId: Int64, bundleId: String, namespace: UUID, locales: [String], products: [String],
        hasMessage: Bool
    ) -> JSONNode {
        let text = JSONNode.object([
            ("header", .string("Before you go")),
            ("body", .string("You keep everything in your plan until the end of the period.")),
        ])
        let message = JSONNode.object([("kind", .string("text")), (locales.first ?? "en-US", text)])
        let name = "value_reminder"
        return .object([
            ("format", .integer(1)),
            ("app", .object([("appAppleId", .integer(appAppleId)), ("bundleId", .string(bundleId))])),
            ("namespace", .string(namespace.description)),
            ("locales", .array(locales.map { .string($0) })),
            ("products", .object(products.map { ($0, .object([])) })), ("images", .object([])),
            ("messages", .object(hasMessage ? [(name, message)] : [])),
            ("defaults", .object(hasMessage ? [(CatalogueKeys.everyProduct, .string(name))] : [])),
        ])
    }
}

package struct CataloguePin: Sendable, Hashable {
    package var identifier: UUID
    /// The content version of what was uploaded under the identifier; nil until `catalogue adopt` has seen the content.
    package var contentVersion: ContentVersion?
}

extension Catalogue {
    package struct Image: Sendable, Hashable {
        package var name: String
        package var file: String
        package var size: ImageSize
        /// The revision, from 1. Another revision gives the same file another identifier.
        package var revision: Int64
        package var pins: [Environment: CataloguePin]
    }

    package struct Message: Sendable, Hashable {
        package var name: String
        package var kind: MessageKind
        package var product: String?
        package var headerPosition: UploadMessageRequestBody.HeaderPosition?
        package var failsWhenUnapproved: Bool
        package var texts: [Text]
    }

    package struct Text: Sendable, Hashable {
        package var locale: String
        package var header: String
        package var body: String
        /// Nil for a text without image. The image of the message stands here when the text has none of its own.
        package var image: String?
        package var imageAltText: String?
        package var bulletPoints: [BulletPoint]
        /// The revision, from 1: that of the text, or else that of the message.
        package var revision: Int64
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
    package var images: [String] { [image].compactMap { $0 } + bulletPoints.map(\.image) }
}
