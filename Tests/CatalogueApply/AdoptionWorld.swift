import AppStoreServerAPI
@testable import Catalogue
import DataFiles
import JSON
import Support
import Testing
import Vocabulary

/// A team whose catalogue is lost, and Apple with everything that was uploaded from it.
struct AdoptionWorld {
    /// The lost catalogue. Its namespace is not that of the catalogues that adopt.
    static let lost = """
        {
          "format": 1,
          "app": { "appAppleId": 7, "bundleId": "com.example.app" },
          "namespace": "11111111-2222-4333-8444-555555555555",
          "locales": ["en-US", "de-DE"],
          "products": { "monthly": {}, "annual": {} },
          "images": {
            "hero": { "file": "hero.png", "size": "FULL_SIZE" },
            "tick": { "file": "tick.png", "size": "BULLET_POINT" }
          },
          "messages": {
            "reminder": {
              "kind": "text", "headerPosition": "ABOVE_IMAGE", "image": "hero",
              "en-US": {
                "header": "H1", "body": "B \\"1\\" ü", "imageAltText": "A1",
                "bulletPoints": [{ "text": "T1", "image": "tick", "altText": "A2" }]
              },
              "de-DE": { "header": "H2", "body": "B2", "imageAltText": "A3" }
            },
            "plain": { "kind": "text", "en-US": { "header": "H5", "body": "B5" } },
            "offer": {
              "kind": "offer",
              "en-US": { "header": "H3", "body": "B3" },
              "de-DE": { "header": "H4", "body": "B4" }
            }
          },
          "defaults": { "*": "reminder", "annual": { "locales": { "en-US": "plain" } } },
          "realtimeURL": { "Production": "https://example.com/a", "Sandbox": "https://example.com/b" }
        }
        """

    let folder: TemporaryDirectory
    let environment: Environment
    let apple = FakeApple()
    let resolved: ResolvedCatalogue
    var files: ImageFiles { ImageFiles(folder: folder.path, decodesAll: false) }

    /// Applies a catalogue to Apple.
    init(_ text: String = lost, _ environment: Environment = .sandbox) throws {
        folder = try TemporaryDirectory()
        self.environment = environment
        for (name, width, height) in [("hero", UInt32(3840), UInt32(160)), ("tick", 1024, 1024)] {
            var image = TestPNG(width, height)
            (image.colorType, image.bitDepth) = (0, 1)
            try folder.write(image.bytes(), to: "\(name).png")
        }
        let files = ImageFiles(folder: folder.path, decodesAll: false)
        resolved = try CheckedCatalogue(Array(text.utf8), images: files).resolved(for: environment)
        let plan = CataloguePlan(resolved, inventory: AppleInventory(), knowledge: JournalKnowledge())
        let apply = CatalogueApply(
            apple.client(),
            journal: CatalogueJournal(),
            timing: ApplyTiming(now: { 1 }, sleep: { _ in }),
            readImage: { image throws(ImageFiles.Problem) in try files.bytes(image.file) }
        )
        let report = apply.run(plan, images: resolved.imagesByMessage, wait: .none)
        #expect(report.isComplete)
    }

    /// A catalogue without messages.
    static func blank(products: [String] = ["monthly", "annual"], locales: [String] = ["en-US", "de-DE"])
        -> String
    {
        let node = Catalogue.blank(
            appAppleId: 7, bundleId: "com.example.app", namespace: UUID(high: 1, low: 2), locales: locales,
            products: products)
        return String(decoding: node.serialized(pretty: true), as: UTF8.self)
    }

    /// Apple's lists with the URL.
    func inventory() throws -> AppleInventory {
        try AppleInventory(asking: apple.client(), asksURL: true)
    }

    /// What a journal knows after `--refresh`.
    func knowledge() throws -> JournalKnowledge {
        let journal = CatalogueJournal()
        let places = ["monthly", "annual"].flatMap { product in
            ["en-US", "de-DE"].map { ProductLocale(product: product, locale: $0) }
        }
        try DefaultRefresh(apple.client(), journal: journal, now: { 5 }).run(places)
        return journal.knowledge
    }

    /// Returns the map of a person who still knows what was uploaded. `isNamed` returns true for the items that get a name.
    func map(_ isNamed: (CatalogueItem) -> Bool = { _ in true }) -> JSONNode {
        let names = Dictionary(uniqueKeysWithValues: resolved.images.map { ($0.identifier, $0.names[0]) })
        let images = resolved.images.map { image in
            let members: [(String, JSONNode)] = [
                ("name", .string(image.names[0])), ("file", .string(image.file)),
            ]
            let head: [(String, JSONNode)] = [("identifier", .string(image.identifier.description))]
            return JSONNode.object(head + (isNamed(CatalogueItem(.image, image.identifier)) ? members : []))
        }
        let messages = resolved.messages.map { message in
            let body = message.body
            var members: [(String, JSONNode)] = [
                ("name", .string(message.name)), ("locale", .string(message.locale)),
                ("kind", .string(message.kind.name)), ("header", .string(body.header)),
                ("body", .string(body.body)),
            ]
            if body.headerPosition == .aboveImage {
                members.append(("headerPosition", .string("ABOVE_IMAGE")))
            }
            if let image = body.image {
                members.append(("image", .string(names[image.imageIdentifier] ?? "")))
                members.append(("imageAltText", .string(image.altText)))
            }
            let points = body.bulletPoints.map { point in
                JSONNode.object([
                    ("text", .string(point.text)), ("image", .string(names[point.imageIdentifier] ?? "")),
                    ("altText", .string(point.altText)),
                ])
            }
            if !points.isEmpty { members.append(("bulletPoints", .array(points))) }
            let head: [(String, JSONNode)] = [("identifier", .string(message.identifier.description))]
            return JSONNode.object(
                head + (isNamed(CatalogueItem(.message, message.identifier)) ? members : [])
            )
        }
        let app: [(String, JSONNode)] = [
            ("appAppleId", .integer(7)), ("bundleId", .string("com.example.app")),
        ]
        return .object([
            ("format", .integer(1)), ("app", .object(app)), ("environment", .string(environment.rawValue)),
            ("images", .array(images)), ("messages", .array(messages)),
        ])
    }

    /// Adopts what a map names.
    func adopt(_ map: [UInt8], into source: String = blank(), knowledge: JournalKnowledge? = nil)
        throws(CatalogueError) -> CatalogueAdoption
    {
        guard let inventory = try? inventory() else { throw CatalogueError(findings: []) }
        return try CatalogueAdoption(
            try AdoptionMap(reading: map), to: Array(source.utf8), images: files, inventory: inventory,
            knowledge: knowledge ?? JournalKnowledge(), environment: environment)
    }

    func check(_ text: [UInt8]) -> CheckedCatalogue { CheckedCatalogue(text, images: files) }
}
