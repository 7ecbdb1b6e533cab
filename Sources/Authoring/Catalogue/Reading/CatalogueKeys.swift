internal import Vocabulary

/// The keys that each kind of object in a catalogue may have, in the order in which messages list them.
enum CatalogueKeys {
    static let root = [
        "$schema", "format", "app", "namespace", "locales", "products", "images", "messages", "defaults",
        "realtimeURL",
    ]
    static let app = ["appAppleId", "bundleId"]
    static let product = ["group"]
    static let image = ["file", "size", "revision", "identifier"]
    /// The keys of a message that are not locales.
    static let message = ["kind", "product", "headerPosition", "image", "revision", "whenUnapproved"]
    static let text = ["header", "body", "image", "imageAltText", "bulletPoints", "revision", "identifier"]
    static let bulletPoint = ["text", "image", "altText"]
    static let pin = ["id", "digest"]
    static let defaultMessage = ["message", "locales"]
    /// The key of the default message for every product without an entry of its own.
    static let everyProduct = "*"
    /// The environments that have messages at Apple.
    static let environments: [Environment] = [.production, .sandbox]
}
