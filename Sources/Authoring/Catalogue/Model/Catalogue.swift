public import JSON
public import Vocabulary

/// The messages, images and default messages of one app, as catalogue.json states them for both environments.
///
/// Every list has the order of the file. The path of a value follows from its names, for example
/// `messages.value_reminder.en-US.header`.
public struct Catalogue: Sendable, Hashable {
    /// A product and its subscription group.
    public struct Product: Sendable, Hashable {
        /// The product identifier.
        public var name: String
        /// The subscription group; nil when the file does not give it.
        public var group: String?
    }

    /// A default message, which Apple shows when the service gives no answer.
    public struct Default: Sendable, Hashable {
        /// The product; nil for the entry `*`, which applies to every product without an entry of its own.
        public var product: String?
        /// The message for every locale without an entry in `locales`; nil when the file names only some locales.
        public var message: String?
        /// The messages of single locales.
        public var locales: [LocalDefault]
    }

    /// The default message in one locale.
    public struct LocalDefault: Sendable, Hashable {
        /// The locale of the subscribers who get this default message.
        public var locale: String
        public var message: String
    }

    /// The number of the app in the App Store.
    public var appAppleId: Int64
    /// The bundle identifier of the app.
    public var bundleId: String
    /// The namespace of all identifiers, which `catalogue init` makes once.
    public var namespace: UUID
    /// The locales in which every message should be there.
    public var locales: [String]
    public var products: [Product]
    /// The images, in the order of the file.
    public var images: [Image]
    /// The messages, in the order of the file.
    public var messages: [Message]
    /// The default messages.
    public var defaults: [Default]
    /// The URL that Apple asks, for each environment that the file names.
    public var realtimeURLs: [Environment: String]

    /// Returns a first catalogue as JSON: one message in the first locale, which is the default message of every product.
    public static func first(
        appAppleId: Int64, bundleId: String, namespace: UUID, locales: [String], products: [String]
    ) -> JSONNode {
        let text: [(String, JSONNode)] = [
            ("header", .string("Before you go")),
            ("body", .string("You keep everything in your plan until the end of the period.")),
        ]
        let message: [(String, JSONNode)] = [
            ("kind", .string("text")), (locales.first ?? "en-US", .object(text)),
        ]
        return blank(
            appAppleId: appAppleId, bundleId: bundleId, namespace: namespace, locales: locales,
            products: products, messages: [("value_reminder", .object(message))],
            defaults: [(CatalogueKeys.everyProduct, .string("value_reminder"))])
    }

    /// Returns a catalogue as JSON, by default without messages.
    public static func blank(
        appAppleId: Int64, bundleId: String, namespace: UUID, locales: [String], products: [String],
        messages: [(String, JSONNode)] = [], defaults: [(String, JSONNode)] = []
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
public struct CataloguePin: Sendable, Hashable {
    /// The identifier at Apple.
    public var identifier: UUID
    /// The content version of what was uploaded under the identifier.
    public var contentVersion: ContentVersion
}
