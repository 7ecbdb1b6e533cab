import Catalogue
import Cryptography
import JSON
import Support
import System
import Testing

@Suite("The identifiers of a catalogue")
struct IdentifierTests {
    private static let vectors = "Tests/Catalogue/Vectors"

    /// The catalogue of the vectors, with images that are made a second time here.
    static func checked() throws -> CheckedCatalogue {
        let folder = try TemporaryDirectory()
        var dark = GoodCatalogue.hero
        dark.fill = 0
        try folder.write(GoodCatalogue.hero.bytes(), to: "hero.png")
        try folder.write(dark.bytes(), to: "dark.png")
        try folder.write(GoodCatalogue.tick.bytes(), to: "tick.png")
        let text = try SourceFile.read("\(SourceFile.root)/\(vectors)/catalogue.json")
        return CheckedCatalogue(text, images: ImageFiles(folder: folder.path, decodesAll: true))
    }

    /// The rows of a resolved catalogue in the form of the vectors.
    private static func rows(_ resolved: ResolvedCatalogue, _ names: [String]) -> [[String]] {
        let images = names.compactMap { name in
            resolved.images.first { $0.names.contains(name) }.map { image in
                [
                    resolved.environment.rawValue, "image", name, "\(image.contentVersion)",
                    "\(image.identifier)",
                ]
            }
        }
        let messages = resolved.messages.map { message in
            [
                resolved.environment.rawValue, message.name, message.locale, "\(message.contentVersion)",
                "\(message.identifier)",
            ]
        }
        return images + messages
    }

    @Test("are those of an independent script, and never change")
    func vectors() throws {
        let checked = try Self.checked()
        #expect(!checked.hasErrors, "\(checked.findings.map(\.text))")
        let bytes = try SourceFile.read("\(SourceFile.root)/\(Self.vectors)/identifiers.json")
        let limits = JSONLimits(byteCount: 1 << 20, depth: 4)
        let expected = try JSONDocument(parsing: bytes.span, limits: limits).root.elements.map { row in
            row.elements.compactMap(\.string)
        }
        var found: [[String]] = []
        for environment in [Environment.production, .sandbox, .localTesting] {
            found += Self.rows(try checked.resolved(for: environment), checked.catalogue.images.map(\.name))
        }
        #expect(found.count == 54)
        #expect(found == expected)
        // A digest of the list itself: the file and the code cannot be changed together by mistake.
        let digest = "643c2cd9bdee8b0da5ee803addea8490eb21bd1bd01f94517cd4f830529a5fd6"
        #expect(SHA256.hash(bytes.span).hexadecimal == digest)
    }

    @Test("are what the script writes today")
    func script() throws {
        let run = try ProgramRun.run("\(SourceFile.root)/\(Self.vectors)/make-vectors", ["-"])
        #expect(run.status == 0, "\(run.errors)")
        let kept = try SourceFile.read("\(SourceFile.root)/\(Self.vectors)/identifiers.json")
        #expect(Array(run.output.utf8) == kept)
    }

    private static func resolved(_ text: String) throws -> ResolvedCatalogue {
        let checked = GoodCatalogue.check(text, in: try GoodCatalogue.folder())
        return try checked.resolved(for: .production)
    }

    @Test("do not depend on the order of keys, on white space or on the way in which characters are written")
    func order() throws {
        let good = try Self.resolved(GoodCatalogue.text)
        let limits = JSONLimits(byteCount: 1 << 20, depth: 16)
        var random = SeededGenerator(for: "keys in another order")
        let identifiers = Set(good.messages.map(\.identifier)).union(good.images.map(\.identifier))
        for _ in 0..<20 {
            let document = try JSONDocument(parsing: GoodCatalogue.text.utf8Span.span, limits: limits)
            let node = Self.shuffled(JSONNode(document.root), &random)
            let text = String(decoding: node.serialized(pretty: true), as: UTF8.self)
            let other = try Self.resolved(text)
            #expect(
                Set(other.messages.map(\.identifier)).union(other.images.map(\.identifier)) == identifiers
            )
            #expect(Set(other.messages) == Set(good.messages) && Set(other.defaults) == Set(good.defaults))
        }
        let escaped = GoodCatalogue.text.replacing("\"H1\"", with: "\"\\u0048\\u0031\"")
        #expect(try Self.resolved(escaped) == good)
        #expect(try Self.resolved(GoodCatalogue.text) == good)
    }

    /// The same value with the members of every object in another order.
    private static func shuffled(_ node: JSONNode, _ random: inout SeededGenerator) -> JSONNode {
        switch node {
        case .object(let members):
            let changed = members.map { ($0.0, shuffled($0.1, &random)) }
            return .object(changed.shuffled(using: &random))
        case .array(let elements): return .array(elements.map { shuffled($0, &random) })
        default: return node
        }
    }

    @Test(
        "change with everything that is uploaded or names the message, and with nothing else",
        arguments: [
            ("\"H1\"", "\"H1.\"", true), ("\"B1\"", "\"B1.\"", true), ("\"A1\"", "\"A1.\"", true),
            ("\"T1\"", "\"T1.\"", true), ("\"A2\"", "\"A2.\"", true),
            ("\"headerPosition\": \"ABOVE_IMAGE\", ", "", true),
            ("\"header\": \"H1\"", "\"header\": \"H1\", \"revision\": 2", true),
            ("\"header\": \"H1\"", "\"header\": \"H1\", \"revision\": 1", false),
            ("\"kind\": \"text\"", "\"kind\": \"text\", \"revision\": 7", true),
            ("\"size\": \"FULL_SIZE\"", "\"size\": \"FULL_SIZE\", \"revision\": 2", true),
            ("\"size\": \"BULLET_POINT\"", "\"size\": \"BULLET_POINT\", \"revision\": 2", true),
            ("\"com.example.app\"", "\"com.example.other\"", true), ("0b7c2e41", "0b7c2e42", true),
            ("\"kind\": \"text\"", "\"kind\": \"text\", \"whenUnapproved\": \"pass\"", false),
            ("\"appAppleId\": 7", "\"appAppleId\": 8", false),
            ("\"group\": \"pro\"", "\"group\": \"other\"", false),
            ("\"H2\"", "\"H2.\"", false), ("\"H3\"", "\"H3.\"", false),
            ("https://example.com/a", "https://a", false),
        ]
    )
    func changes(old: String, new: String, isChange: Bool) throws {
        let good = try Self.resolved(GoodCatalogue.text)
        let other = try Self.resolved(GoodCatalogue.text.replacing(old, with: new))
        #expect((other.messages[0].identifier != good.messages[0].identifier) == isChange)
    }

    @Test(
        "change with the name of the message and with the pixels of its image, and not with the name of the image"
    )
    func names() throws {
        let good = try Self.resolved(GoodCatalogue.text)
        let renamed = try Self.resolved(GoodCatalogue.text.replacing("\"reminder\"", with: "\"other\""))
        #expect(renamed.messages[0].identifier != good.messages[0].identifier)
        #expect(renamed.messages[2] == good.messages[2])
        let image = try Self.resolved(GoodCatalogue.text.replacing("\"hero\"", with: "\"hill\""))
        #expect(image.messages == good.messages)
        var dark = GoodCatalogue.hero
        dark.fill = 0
        let folder = try GoodCatalogue.folder(hero: dark.bytes())
        let pixels = try GoodCatalogue.check(GoodCatalogue.text, in: folder).resolved(for: .production)
        #expect(pixels.messages[0].identifier != good.messages[0].identifier)
        #expect(pixels.images[0].identifier != good.images[0].identifier)
        #expect(pixels.images[1] == good.images[1])
    }
}
