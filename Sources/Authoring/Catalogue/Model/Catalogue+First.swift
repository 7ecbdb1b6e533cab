public import JSON
public import Vocabulary

extension Catalogue {
    /// Returns a first catalogue as JSON: one message in the first locale, which is the default message of every product.
    public static func first(
        appAppleId: Int64,
        bundleId: String,
        namespace: UUID,
        locales: [String],
        products: [String]
    ) -> JSONNode {
        let app: [(String, JSONNode)] = [
            ("appAppleId", .integer(appAppleId)), ("bundleId", .string(bundleId)),
        ]
        let text: [(String, JSONNode)] = [
            ("header", .string("Before you go")),
            ("body", .string("You keep everything in your plan until the end of the period.")),
        ]
        let message: [(String, JSONNode)] = [
            ("kind", .string("text")), (locales.first ?? "en-US", .object(text)),
        ]
        return .object([
            ("format", .integer(1)), ("app", .object(app)), ("namespace", .string(namespace.description)),
            ("locales", .array(locales.map { .string($0) })),
            ("products", .object(products.map { ($0, .object([])) })),
            ("images", .object([])), ("messages", .object([("value_reminder", .object(message))])),
            ("defaults", .object([(CatalogueKeys.everyProduct, .string("value_reminder"))])),
        ])
    }
}
