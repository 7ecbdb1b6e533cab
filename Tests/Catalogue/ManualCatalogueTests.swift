import AppStoreServerAPI
@testable import Catalogue
import JSON
import Support
import Testing
import Vocabulary

@Suite("The manual's page of catalogues")
struct ManualCatalogueTests {
    private static let page = "retention-catalogue.5.md"

    @Test("has Apple's locales")
    func locales() throws {
        let list = AppStoreLocales.all.map { "`\($0)`" }.joined(separator: " ")
        try ManualPage.check(list + "\n", in: Self.page, part: "locales")
    }

    @Test("has Apple's limits")
    func limits() throws {
        let text = try ManualPage.text(Self.page).replacing("\n", with: " ")
        typealias Limits = RetentionMessagingLimits
        let lengths =
            "\(Limits.headerLength) for a header, \(Limits.bodyLength) for a body, \(Limits.altTextLength) for an "
        #expect(
            text.contains(lengths + "alternative text and \(Limits.bulletPointTextLength) for a bullet point")
        )
        #expect(Limits.messageCount == 2000 && Limits.imageCount == 2000 && Limits.realtimeURLLength == 256)
        #expect(text.contains("2,000 messages, each locale counted, and 2,000 images"))
        #expect(text.contains("1 to \(CatalogueLimits.nameByteCount) characters"))
        #expect(text.contains("more than \(CatalogueLimits.imageByteCount >> 20) MiB is not read"))
        #expect(text.contains("more than \(CatalogueLimits.imageWarningByteCount >> 20) MiB."))
    }

    @Test("has an example of a map that is one")
    func map() throws {
        let text = """
            {
              "format": 1,
              "app": { "appAppleId": 6745974591, "bundleId": "com.example.app" },
              "environment": "Sandbox",
              "images": [
                {
                  "identifier": "0f8b7c1e-3f0a-4f7e-9f5e-7a1d2c3b4a59",
                  "state": "APPROVED", "size": "FULL_SIZE",
                  "name": "hero", "file": "images/hero.png"
                }
              ],
              "messages": [
                {
                  "identifier": "6584bedf-2ed0-4c01-93ed-c0c64a1670cc",
                  "state": "APPROVED", "defaultOf": ["pro_monthly in en-US"],
                  "name": "value_reminder", "locale": "en-US", "kind": "text",
                  "header": "Your routes are waiting", "body": "…",
                  "headerPosition": "ABOVE_IMAGE",
                  "image": "hero", "imageAltText": "Green hills"
                },
                {
                  "identifier": "551ee7c0-c097-418e-9dd5-2a98533a7390",
                  "state": "PENDING", "name": null, "locale": null, "kind": null,
                  "header": null, "body": null
                }
              ]
            }

            """
        try ManualPage.check("```json\n\(text)```\n", in: Self.page, part: "map")
        let map = try AdoptionMap(reading: Array(text.utf8))
        #expect(map.images.map(\.name) == ["hero"] && map.messages.map(\.locale) == ["en-US"])
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let schema = try SourceFile.read(SourceFile.root + "/examples/catalogue-map.schema.json")
        let root = try JSONDocument(parsing: schema.span, limits: limits).root
        let document = try JSONDocument(parsing: text.utf8Span.span, limits: limits)
        #expect(JSONSchema(root).errors(in: document.root) == [])
    }

    @Test("has an example of the canonical bytes, as they are")
    func identifier() throws {
        let checked = try IdentifierTests.checked()
        let catalogue = checked.catalogue
        let message = try #require(catalogue.messages.first { $0.name == "with_all" })
        let text = try #require(message.texts.first { $0.locale == "en-US" })
        let content = CanonicalContent(text: text, of: message, images: checked.versions.images)
        let bytes = String(decoding: try #require(content).bytes, as: UTF8.self)
        let resolved = try checked.resolved(for: .production)
        let found = try #require(resolved.messages.first { $0.name == "with_all" && $0.locale == "en-US" })
        let example = """
            The canonical content:

            ```
            \(bytes)```

            The namespace, the name and the identifier, with the content version at the end of the name:

            ```
            \(catalogue.namespace)
            com.example.app:Production:*:en-US:with_all:\(found.contentVersion)
            \(found.identifier)
            ```

            """
        try ManualPage.check(example, in: Self.page, part: "identifier")
    }
}
