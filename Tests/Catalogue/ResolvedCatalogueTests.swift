import AppStoreServerAPI
import Catalogue
import Facts
import Rules
import Support
import System
import Testing

@Suite("A resolved catalogue")
struct ResolvedCatalogueTests {
    private static func resolved(_ text: String, _ environment: Environment = .production) throws
        -> ResolvedCatalogue
    {
        try GoodCatalogue.check(text, in: try GoodCatalogue.folder()).resolved(for: environment)
    }

    @Test("has the images, the messages and what is uploaded of them")
    func contents() throws {
        let resolved = try Self.resolved(GoodCatalogue.text)
        #expect(resolved.appAppleId == 7 && resolved.bundleId == "com.example.app")
        #expect(resolved.images.map(\.names) == [["hero"], ["tick"]])
        #expect(resolved.images.map(\.size) == [.fullSize, .bulletPoint])
        #expect(resolved.images.map(\.file) == ["images/hero.png", "images/tick.png"])
        #expect(resolved.images.allSatisfy { !$0.isPinned })
        #expect(resolved.messages.map(\.name) == ["reminder", "reminder", "offer", "offer"])
        #expect(resolved.messages.map(\.locale) == ["en-US", "de-DE", "en-US", "de-DE"])
        #expect(resolved.messages.map(\.kind) == [.text, .text, .offer, .offer])
        let (hero, tick) = (resolved.images[0].identifier, resolved.images[1].identifier)
        let body = UploadMessageRequestBody(
            header: "H1", body: "B1", image: .init(imageIdentifier: hero, altText: "A1"),
            headerPosition: .aboveImage,
            bulletPoints: [.init(text: "T1", imageIdentifier: tick, altText: "A2")])
        #expect(resolved.messages[0].body == body)
        #expect(resolved.messages[0].images == [hero, tick])
        #expect(resolved.messages[2].body == UploadMessageRequestBody(header: "H3", body: "B3"))
        #expect(Set(resolved.messages.map(\.identifier)).count == 4)
    }

    @Test("has other identifiers and another URL in each environment")
    func environments() throws {
        let production = try Self.resolved(GoodCatalogue.text)
        let sandbox = try Self.resolved(GoodCatalogue.text, .sandbox)
        #expect(
            production.realtimeURL == "https://example.com/a"
                && sandbox.realtimeURL == "https://example.com/b"
        )
        let identifiers = Set(production.messages.map(\.identifier)).union(
            production.images.map(\.identifier)
        )
        #expect(
            identifiers.isDisjoint(
                with: sandbox.messages.map(\.identifier) + sandbox.images.map(\.identifier)
            )
        )
        #expect(try Self.resolved(GoodCatalogue.text, .localTesting).realtimeURL == nil)
    }

    @Test(
        "has a default message for every product and locale: the product's before *, the locale's before the message's"
    )
    func defaults() throws {
        let thanks =
            "\"thanks\": { \"kind\": \"text\", \"en-US\": { \"header\": \"H\", \"body\": \"B\" } }, \"offer\": {"
        let text = GoodCatalogue.text.replacing("\"offer\": {", with: thanks)
            .replacing("\"message\": \"reminder\",", with: "\"message\": \"thanks\",")
        let defaults = try Self.resolved(text).defaults
        #expect(defaults.map(\.product) == ["monthly", "monthly", "annual", "annual"])
        #expect(defaults.map(\.locale) == ["en-US", "de-DE", "en-US", "de-DE"])
        #expect(defaults.map(\.message) == ["reminder", "reminder", "thanks", "reminder"])
        // Without a text in the locale, no other entry is tried.
        let alone = text.replacing(", \"locales\": { \"de-DE\": \"reminder\" }", with: "")
        let checked = GoodCatalogue.check(alone, in: try GoodCatalogue.folder())
        #expect(checked.findings.map(\.code) == ["catalogue.missing-locale", "catalogue.missing-default"])
        #expect(
            try checked.resolved(for: .production).defaults.map(\.message) == [
                "reminder", "reminder", "thanks",
            ]
        )
    }

    @Test("takes pinned identifiers in their environment, as long as the content is what was pinned")
    func pins() throws {
        let good = try Self.resolved(GoodCatalogue.text)
        let identifier = try #require(UUID("0f6c1a52-3d7a-4d6e-8a3e-1d2c3b4a5f60"))
        let image = try #require(UUID("0f6c1a52-3d7a-4d6e-8a3e-1d2c3b4a5f61"))
        func pin(_ id: UUID, _ version: ContentVersion) -> String {
            "\"identifier\": { \"Production\": { \"id\": \"\(id)\", \"digest\": \"\(version)\" } }"
        }
        let text = GoodCatalogue.text
            .replacing(
                "\"header\": \"H1\"",
                with: "\"header\": \"H1\", " + pin(identifier, good.messages[0].contentVersion)
            )
            .replacing("\"FULL_SIZE\"", with: "\"FULL_SIZE\", " + pin(image, good.images[0].contentVersion))
        let production = try Self.resolved(text)
        #expect(production.messages[0].identifier == identifier && production.messages[0].isPinned)
        #expect(production.images[0].identifier == image && production.images[0].isPinned)
        #expect(production.messages[0].body.image?.imageIdentifier == image)
        // The second text names the pinned image, so it is another message than with an image of its own. The identifier is
        // computed with Python, as Vectors/make-vectors does.
        #expect(production.messages[1].body.image?.imageIdentifier == image)
        #expect(production.messages[1].identifier.description == "66ab9118-c4f9-50d3-a0d4-6b06eb42cb0a")
        #expect(production.messages[1].contentVersion == good.messages[1].contentVersion)
        #expect(production.messages[1].identifier != good.messages[1].identifier)
        #expect(production.messages[2] == good.messages[2])
        #expect(production.defaults[0].identifier == identifier)
        #expect(
            try Self.resolved(text, .sandbox).messages == Self.resolved(GoodCatalogue.text, .sandbox).messages
        )
        let changed = text.replacing("\"H1\"", with: "\"H1.\"")
        let findings = GoodCatalogue.check(changed, in: try GoodCatalogue.folder()).findings
        #expect(findings.map(\.code) == ["catalogue.pin-changed"])
        #expect(throws: ToolError.self) { try Self.resolved(changed) }
        let twice = text.replacing("\(image)", with: "\(identifier)")
        let double = GoodCatalogue.check(twice, in: try GoodCatalogue.folder()).findings
        #expect(double.map(\.code) == ["catalogue.duplicate"])
    }

    @Test("takes one identifier for a text in both environments, and one that its content gives it anyway")
    func ownIdentifiers() throws {
        let good = try Self.resolved(GoodCatalogue.text)
        let message = good.messages[2]
        let image = good.images[0]
        func pin(_ environment: String, _ identifier: UUID, _ version: ContentVersion) -> String {
            "\"\(environment)\": { \"id\": \"\(identifier)\", \"digest\": \"\(version)\" }"
        }
        let version = message.contentVersion
        let both =
            pin("Production", message.identifier, version) + ", "
            + pin("Sandbox", message.identifier, version)
        // The image has a second name, which shares the identifier of the first.
        let spare = "\"spare\": { \"file\": \"images/hero.png\", \"size\": \"FULL_SIZE\" }, \"tick\": {"
        let text = GoodCatalogue.text
            .replacing("\"header\": \"H3\"", with: "\"header\": \"H3\", \"identifier\": { \(both) }")
            .replacing(
                "\"FULL_SIZE\"",
                with: "\"FULL_SIZE\", \"identifier\": { "
                    + pin("Production", image.identifier, image.contentVersion) + " }"
            )
            .replacing("\"tick\": {", with: spare)
        let checked = GoodCatalogue.check(text, in: try GoodCatalogue.folder())
        #expect(checked.findings.map(\.code) == ["catalogue.unused"], "\(checked.findings.map(\.text))")
        let resolved = try checked.resolved(for: .production)
        #expect(resolved.messages.map(\.identifier) == good.messages.map(\.identifier))
        #expect(resolved.images.map(\.identifier) == good.images.map(\.identifier))
    }

    @Test("uploads an image once that stands under two names")
    func sharedImages() throws {
        let spare = "\"spare\": { \"file\": \"images/hero.png\", \"size\": \"FULL_SIZE\" }, \"tick\": {"
        let resolved = try Self.resolved(GoodCatalogue.text.replacing("\"tick\": {", with: spare))
        #expect(resolved.images.map(\.names) == [["hero", "spare"], ["tick"]])
    }

    @Test("is not made of a catalogue with an error, and says all of them")
    func errors() throws {
        let bad = GoodCatalogue.text.replacing("\"kind\": \"offer\"", with: "\"kind\": \"offers\"")
            .replacing("\"format\": 1", with: "\"format\": 2").replacing("\"H1\"", with: "\"H1 \"")
        let error = #expect(throws: ToolError.self) { try Self.resolved(bad) }
        #expect(error?.findings.map(\.code) == ["catalogue.bad-value", "catalogue.bad-value"])
        #expect(error?.code == "catalogue.bad-value")
        #expect(error?.description.split(separator: "\n").count == 2)
    }

    @Test("gives rules their messages")
    func rules() throws {
        let resolved = try Self.resolved(GoodCatalogue.text)
        #expect(resolved.rulesMessages.map(\.name) == ["reminder", "offer"])
        #expect(resolved.rulesMessages.map(\.kind) == [.text, .offer])
        #expect(
            resolved.rulesMessages.map { $0.identifiers.map(\.locale) } == [
                ["en-US", "de-DE"], ["en-US", "de-DE"],
            ]
        )
        #expect(
            resolved.rulesMessages.flatMap { $0.identifiers.map(\.identifier) }
                == resolved.messages.map(\.identifier)
        )
        let words = [("fallback", false), ("pass", true)]
        for (word, fails) in words {
            let text = GoodCatalogue.text.replacing(
                "\"kind\": \"offer\"", with: "\"kind\": \"offer\", \"whenUnapproved\": \"\(word)\"")
            #expect(try Self.resolved(text).rulesMessages.map(\.failsWhenUnapproved) == [false, fails])
        }
    }
}
