import AppStoreServerAPI
@testable import Catalogue
import JSON
import Support
import System
import Testing

@Suite("Adoption")
struct AdoptionTests {
    private let folder: TemporaryDirectory
    private static let message = Wanted.uuid(2, 0)
    private static let image = Wanted.uuid(1, 0)

    init() throws {
        folder = try TemporaryDirectory()
        var hero = TestPNG(3840, 160)
        (hero.colorType, hero.bitDepth) = (0, 1)
        try folder.write(hero.bytes(), to: "hero.png")
    }

    private func adopt(_ text: [UInt8], _ state: AppleState) throws(ToolError) -> CatalogueAdoption {
        try CatalogueAdoption(text, images: files, state, .sandbox)
    }

    private var files: ImageFiles { ImageFiles(folder: folder.path, decodesAll: false) }

    private static func blank() -> [UInt8] {
        Catalogue.new(
            appAppleId: 7, bundleId: "com.example.app", namespace: Wanted.uuid(9, 9), locales: ["en-US"],
            products: ["monthly", "annual"], hasMessage: false
        ).serialized(pretty: true)
    }

    private static func state(_ events: [(AppleState.Event, Int64)] = []) -> AppleState {
        AppleState(
            images: [ListedImage(imageIdentifier: image, imageState: .approved, imageSize: "FULL_SIZE")],
            messages: [ListedMessage(messageIdentifier: message, messageState: .pending)],
            url: "https://example.com/a", events)
    }

    /// Fills in what `adopt` left open, as a person does.
    private static func filled(_ text: [UInt8]) -> [UInt8] {
        var text = String(decoding: text, as: UTF8.self)
        for (old, new) in [
            ("image-\(image)", "hero"), ("message-\(message)", "reminder"), ("xx-XX", "en-US"),
            ("\"file\": null", "\"file\": \"hero.png\""), ("\"kind\": null", "\"kind\": \"text\""),
            ("\"header\": null", "\"header\": \"H\""),
            ("\"body\": null", "\"body\": \"B\", \"image\": \"hero\", \"imageAltText\": \"A\""),
        ] {
            #expect(text.contains(old), "\(old)")
            text = text.replacing(old, with: new)
        }
        return Array(text.utf8)
    }

    @Test("adds entries with pins, then digests, default messages and the URL, and then nothing")
    func whole() throws {
        let place = ProductLocale(product: "annual", locale: "en-US")
        let state = Self.state([(.defaultSet(place, Self.message), 1)])
        let first = try adopt(Self.blank(), state)
        #expect(first.items.count == 2)
        #expect(first.report.contains("  + image  \(Self.image), APPROVED"))
        #expect(
            first.report.contains("  + message  \(Self.message), PENDING, default message of annual in en-US")
        )
        // Nobody has filled in the entries.
        let codes = CheckedCatalogue(first.text, images: files).findings.map(\.code)
        #expect(codes.contains("catalogue.unknown-name") && codes.contains("catalogue.wrong-type"))
        #expect(throws: ToolError.self) { try adopt(first.text, state) }
        let filled = Self.filled(first.text)
        let open = CheckedCatalogue(filled, images: files)
        #expect(!open.hasErrors && open.findings.count { $0.code == "catalogue.pin-open" } == 2)
        let plan = CataloguePlan(try open.resolved(for: .sandbox), state)
        #expect(plan.steps.isEmpty && plan.orphans.isEmpty && plan.problems.isEmpty)
        let second = try adopt(filled, state)
        #expect(
            second.report == ["  + default  annual in en-US: reminder", "  + digest  of 2 pins"],
            "\(second.report)")
        let pinned = CheckedCatalogue(second.text, images: files)
        #expect(!pinned.findings.contains { $0.code == "catalogue.pin-open" })
        #expect(try pinned.resolved(for: .sandbox).defaults.map(\.identifier) == [Self.message])
        #expect(try pinned.resolved(for: .sandbox).realtimeURL == "https://example.com/a")
        #expect(try !adopt(second.text, state).hasAdditions)
        // A changed text under a pin is an error from now on.
        let text = String(decoding: second.text, as: UTF8.self).replacing("\"H\"", with: "\"H2\"")
        let changed = CheckedCatalogue(Array(text.utf8), images: files)
        #expect(changed.findings.map(\.code).contains("catalogue.pin-changed"))
    }

    @Test("leaves out default messages that a catalogue cannot name, and keeps those that it names")
    func defaults() throws {
        func place(_ product: String, _ locale: String) -> ProductLocale {
            ProductLocale(product: product, locale: locale)
        }
        let state = Self.state([
            (.defaultSet(place("weekly", "en-US"), Self.message), 1),
            (.defaultSet(place("monthly", "de-DE"), Self.message), 1),
            (.defaultSet(place("annual", "en-US"), Wanted.uuid(2, 9)), 1),
            (.defaultSet(place("monthly", "en-US"), Self.message), 1),
        ])
        let named = Self.filled(try adopt(Self.blank(), state).text)
        #expect(try adopt(named, state).defaults.map(\.place) == [place("monthly", "en-US")])
        let own = String(decoding: named, as: UTF8.self)
            .replacing("\"defaults\": {", with: "\"defaults\": { \"*\": \"reminder\"")
        #expect(try adopt(Array(own.utf8), state).defaults.isEmpty)
    }
}
