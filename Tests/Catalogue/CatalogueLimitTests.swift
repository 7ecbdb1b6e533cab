import Catalogue
import Support
import System
import Testing

@Suite("The limits of a catalogue")
struct CatalogueLimitTests {
    private static func list(_ count: Int, _ entry: (Int) -> String) -> String {
        "{ \((0..<count).map(entry).joined(separator: ", ")) }"
    }

    private static let text = "{ \"header\": \"H\", \"body\": \"B\" }"

    private static func catalogue(
        messages: String = "{ \"m\": { \"kind\": \"offer\", \"en-US\": \(text) } }", images: String = "{}"
    ) -> String {
        """
        { "format": 1, "app": { "appAppleId": 7, "bundleId": "b" },
          "namespace": "5d1f6a0e-8c1b-4f0a-9a52-3f6d0b7c2e41", "locales": ["en-US", "de-DE"],
          "images": \(images),
          "messages": \(messages) }
        """
    }

    @Test("are 2,000 messages, each locale counted, and 2,000 images")
    func numbers() throws {
        let folder = try GoodCatalogue.folder()
        let texts = "\"en-US\": \(Self.text), \"de-DE\": \(Self.text)"
        let file = "{ \"file\": \"images/hero.png\", \"size\": \"FULL_SIZE\" }"
        for (messages, images, isAllowed) in [
            (1000, 0, true), (1001, 0, false), (1, 2000, true), (1, 2001, false),
        ] {
            let source = Self.catalogue(
                messages: Self.list(messages) { "\"m\($0)\": { \"kind\": \"offer\", \(texts) }" },
                images: Self.list(images) { "\"i\($0)\": \(file)" })
            let codes = GoodCatalogue.check(source, in: folder).findings.map(\.code)
            #expect(codes.contains("catalogue.too-many") != isAllowed, "\(messages) \(images)")
        }
    }

    @Test("of findings are a hundred; the others are counted, and an error is always listed")
    func findings() throws {
        let folder = try GoodCatalogue.folder()
        let warned = Self.catalogue(
            messages: Self.list(150) { "\"m\($0)\": { \"kind\": \"offer\", \"en-US\": \(Self.text) }" }
        )
        let checked = GoodCatalogue.check(warned, in: folder)
        #expect(!checked.hasErrors && checked.findings.count == 101)
        #expect(checked.findings.last?.code == "catalogue.more-findings")
        let wrong = warned.replacing(
            "\"m149\": { \"kind\": \"offer\"", with: "\"m149\": { \"kind\": \"offers\"")
        let findings = GoodCatalogue.check(wrong, in: folder).findings
        #expect(findings.filter { $0.code == "catalogue.bad-value" }.count == 1)
        #expect(throws: ToolError.self) {
            try GoodCatalogue.check(wrong, in: folder).resolved(for: .sandbox)
        }
    }
}
